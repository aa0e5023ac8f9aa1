import assert from 'node:assert/strict';
import type { JobClaimOptions } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { COMPLETED } from './held-job-claims.js';
import { type ClaimOverrides, type JobStoreConformanceOptions, jobSection, LEASE_MS, QUEUE, START } from './job-bench.js';

export function jobClaimSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'claim', (test) => {
    test('takes pending jobs: running, under the worker, with a lease and a token', async (bench) => {
      const id = await bench.enqueue({ organizationId: 'acme', groupKey: 'g', groupConcurrency: 3, metadata: { a: 1 } });
      const before = await bench.row(id);
      await bench.clock.advance(7);
      const { claimToken, lane, groupConcurrency, ...job } = await bench.claimOne({ leaseMs: 1_234 });
      assert.equal(typeof claimToken, 'string');
      assert.notEqual(claimToken, '');
      assert.notEqual(lane, '');
      assert.equal(groupConcurrency, 3);
      assert.deepEqual(job, {
        ...before,
        status: 'running',
        attempts: 1,
        claimedBy: 'worker-a',
        lockedUntil: START + 7 + 1_234,
        updatedAt: START + 7,
      });
      assert.deepEqual(await bench.row(id), job);
      await bench.enqueue({ groupKey: 'g' });
      assert.equal((await bench.claimOne()).groupConcurrency, null);
    });

    test('[Q6] counts the attempt when it takes the job', async (bench) => {
      const id = await bench.enqueue();
      assert.equal((await bench.row(id)).attempts, 0);
      assert.equal((await bench.claimOne()).attempts, 1);
      assert.equal((await bench.row(id)).attempts, 1);
    });

    test('finds nothing in an empty store, in another queue, and for no queue at all', async (bench) => {
      assert.deepEqual(await bench.claim(), []);
      await bench.enqueue();
      assert.deepEqual(await bench.claim({ queue: 'sms' }), []);
      assert.deepEqual(await bench.store.claim({ workerId: 'worker-a', queues: [] }), []);
      assert.equal((await bench.claim()).length, 1);
    });

    test('[Q2] leaves running jobs to those who hold them, expired or not', async (bench) => {
      await bench.fill(2);
      const [held] = await bench.claim({ limit: 1 });
      assert.equal((await bench.claim({ workerId: 'worker-b' }, bench.second)).length, 1);
      await bench.clock.advance(LEASE_MS * 2);
      assert.deepEqual(await bench.claim({ workerId: 'worker-b' }, bench.second), []);
      assert.equal(await bench.ack(held!, COMPLETED), 'acked');
    });

    test('[Q2] leaves finished jobs alone', async (bench) => {
      await bench.deadJob();
      await bench.enqueue();
      await bench.ack(await bench.claimOne(), COMPLETED);
      await bench.store.cancel(await bench.enqueue());
      await bench.clock.advance(LEASE_MS);
      assert.deepEqual(await bench.claim(), []);
      assert.deepEqual(await bench.statuses(), ['dead', 'completed', 'cancelled']);
    });

    test('leaves scheduled jobs alone, due or not, until they are promoted', async (bench) => {
      const id = await bench.enqueue({ dueAt: START + 10 });
      assert.deepEqual(await bench.claim(), []);
      await bench.clock.advance(10);
      assert.deepEqual(await bench.claim(), []);
      assert.equal(await bench.store.promote({ limit: 10 }), 1);
      assert.deepEqual(await bench.claimIds(), [id]);
    });

    test('takes the first ones up to the limit, the rest with the next claim', async (bench) => {
      const ids = await bench.fill(5);
      assert.deepEqual(await bench.claimIds({ limit: 2 }), ids.slice(0, 2));
      assert.deepEqual(await bench.claimIds({ limit: 2 }), ids.slice(2, 4));
      assert.deepEqual(await bench.claimIds({ limit: 2 }), ids.slice(4));
      assert.deepEqual(await bench.claimIds({ limit: 2 }), []);
    });

    test('takes up to 1 000 at once', async (bench) => {
      const ids = await bench.fill(1_001);
      assert.deepEqual(await bench.claimIds({ limit: 1_000 }), ids.slice(0, 1_000));
    });

    test('takes of several queues in one call: each up to its own limit, with its own lease, in the order they were asked for', async (bench) => {
      const mail = await bench.fill(3);
      const sms = await bench.fill(3, { queue: 'sms' });
      await bench.fill(1, { queue: 'unasked' });
      const claimed = await bench.store.claim({
        workerId: 'worker-a',
        queues: [
          { queue: 'sms', limit: 2, leaseMs: 1_000 },
          { queue: 'empty', limit: 9, leaseMs: 1_000 },
          { queue: QUEUE, limit: 1, leaseMs: 2_000 },
        ],
      });
      assert.deepEqual(
        claimed.map(({ id, queue, lockedUntil }) => [id, queue, lockedUntil]),
        [
          [sms[0], 'sms', START + 1_000],
          [sms[1], 'sms', START + 1_000],
          [mail[0], QUEUE, START + 2_000],
        ],
      );
    });

    test('does not let a backlog in one queue take the room of another', async (bench) => {
      await bench.fill(50, { priority: 0, dueAt: START - 1_000 });
      const patient = await bench.enqueue({ queue: 'sms', priority: 1_000 });
      const claimed = await bench.store.claim({
        workerId: 'worker-a',
        queues: [
          { queue: QUEUE, limit: 10, leaseMs: LEASE_MS },
          { queue: 'sms', limit: 10, leaseMs: LEASE_MS },
        ],
      });
      assert.deepEqual(
        claimed.slice(10).map(({ id }) => id),
        [patient],
      );
      assert.equal(claimed.length, 11);
    });

    test('takes one organization’s jobs when it is asked for them, and everybody’s when not', async (bench) => {
      const [acme, other] = [await bench.enqueue({ organizationId: 'acme' }), await bench.enqueue({ organizationId: 'umbrella' })];
      assert.deepEqual(await bench.claimIds({ organizationId: 'nobody' }), []);
      assert.deepEqual(await bench.claimIds({ organizationId: 'acme' }), [acme]);
      const more = await bench.enqueue({ organizationId: 'acme' });
      assert.deepEqual((await bench.claimIds()).sort(), [other, more].sort());
    });

    test('takes no other organization’s jobs, however alike the names are', async (bench) => {
      const names = ['a', 'a\u001f', 'a\u001fb', 'a\u001e', 'a ', 'a!', 'ab', 'A', '\u001f', '\u001e', 'ä', '😀', '\ufffd'];
      const ids = new Map<string, string[]>();
      for (const organizationId of names) {
        ids.set(organizationId, [await bench.enqueue({ organizationId }), await bench.enqueue({ organizationId, groupKey: 'b\u001fc' })]);
      }
      for (const organizationId of names) {
        assert.deepEqual(
          (await bench.claimIds({ organizationId })).sort(),
          ids.get(organizationId),
          `the jobs of ${JSON.stringify(organizationId)}`,
        );
      }
    });

    test('takes a queue for two organizations and for all in one call, and no job twice', async (bench) => {
      await bench.fill(4, { organizationId: 'acme' });
      await bench.fill(4, { organizationId: 'umbrella' });
      const queue = { queue: QUEUE, limit: 3, leaseMs: LEASE_MS };
      const queues = [{ ...queue, organizationId: 'acme' }, { ...queue, organizationId: 'umbrella' }, queue];
      const claimed = await bench.store.claim({ workerId: 'worker-a', queues });
      assert.equal(new Set(claimed.map(({ id }) => id)).size, claimed.length);
      assert.ok(claimed.length >= 6);
      claimed.push(...(await bench.store.claim({ workerId: 'worker-a', queues })));
      assert.equal(claimed.length, 8);
      for (const row of await bench.rows()) assert.equal(row.attempts, 1);
    });

    test('uses the time it was given instead of its clock', async (bench) => {
      await bench.enqueue();
      const claimed = await bench.claimOne({ now: START + 5_000 });
      assert.equal(claimed.lockedUntil, START + 5_000 + LEASE_MS);
      assert.equal(claimed.updatedAt, START + 5_000);
    });

    test('gives every claim of a job a token of its own', async (bench) => {
      await bench.enqueue({ maxAttempts: 9 });
      const tokens = new Set<string>();
      for (let at = 0; at < 4; at += 1) {
        const claim = await bench.claimOne();
        tokens.add(claim.claimToken);
        await bench.ack(claim, { outcome: 'retry', error: 'again', dueAt: bench.clock.now() });
      }
      assert.equal(tokens.size, 4);
    });

    test('is exclusive: two nodes that claim at once share no job, and together take every job once', async (bench) => {
      await bench.fill(40);
      const taken: string[] = [];
      for (let round = 0; round < 20 && taken.length < 40; round += 1) {
        const claims = await Promise.all(
          Array.from({ length: 6 }, (_, at) =>
            at % 2 === 0 ? bench.claimIds({ limit: 5 }) : bench.claimIds({ limit: 5, workerId: 'worker-b' }, bench.second),
          ),
        );
        taken.push(...claims.flat());
      }
      assert.equal(taken.length, 40, 'every job is taken, and taken once');
      assert.equal(new Set(taken).size, 40);
      for (const row of await bench.rows()) assert.equal(row.attempts, 1);
    });

    for (const [option, bad] of [
      ['limit', { limit: 0 }],
      ['limit', { limit: 1.5 }],
      ['limit', { limit: 1_001 }],
      ['limit', { limit: Number.NaN }],
      ['leaseMs', { leaseMs: 0 }],
      ['leaseMs', { leaseMs: Number.POSITIVE_INFINITY }],
      ['workerId', { workerId: '' }],
      ['queue', { queue: '' }],
      ['organizationId', { organizationId: '' }],
      ['now', { now: Number.NaN }],
      ['now', { now: -1 }],
    ] as const satisfies readonly (readonly [string, ClaimOverrides])[]) {
      test(`refuses ${option} ${Object.values(bad).map(String).join()} and takes nothing`, async (bench) => {
        await bench.enqueue();
        assert.match((await refusal(() => bench.claim(bad))).message, new RegExp(option));
        assert.equal((await bench.claim()).length, 1);
      });
    }

    test('refuses a queue given twice for one organization, or twice for all, and takes nothing', async (bench) => {
      await bench.enqueue();
      const queue = { queue: QUEUE, limit: 1, leaseMs: LEASE_MS };
      for (const queues of [
        [queue, { ...queue, limit: 2 }],
        [
          { ...queue, organizationId: 'default' },
          { ...queue, organizationId: 'default' },
        ],
      ] satisfies JobClaimOptions['queues'][]) {
        assert.match((await refusal(() => bench.store.claim({ workerId: 'worker-a', queues }))).message, /queues\[1\]/);
      }
      assert.equal((await bench.claim()).length, 1);
    });
  });
}

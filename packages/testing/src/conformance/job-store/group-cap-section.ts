import assert from 'node:assert/strict';
import { COMPLETED } from './held-job-claims.js';
import { type JobBench, type JobStoreConformanceOptions, jobSection, LEASE_MS, QUEUE, START } from './job-bench.js';

const PAIR = { groupKey: 'g', groupConcurrency: 2 } as const;

export function groupCapSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'a group with a cap', (test) => {
    test('gives no more jobs than may run at once, in its order (control: a group without gives all)', async (bench) => {
      const ids = await bench.fill(5, PAIR);
      assert.deepEqual(await bench.claimIds(), ids.slice(0, 2));
      assert.deepEqual(await bench.claimIds(), []);
      await bench.fill(5, { groupKey: 'free' });
      assert.equal((await bench.claim()).length, 5);
    });

    for (const [title, end] of [
      ['completes', (bench, claim) => bench.ack(claim, COMPLETED)],
      ['fails', (bench, claim) => bench.ack(claim, { outcome: 'retry', error: 'x', dueAt: START + 9 })],
      ['dies', (bench, claim) => bench.ack(claim, { outcome: 'dead', error: 'x' })],
      ['snoozes', (bench, claim) => bench.ack(claim, { outcome: 'snooze', dueAt: START + 9 })],
    ] as const satisfies readonly (readonly [string, (bench: JobBench, claim: Parameters<JobBench['ack']>[0]) => Promise<unknown>])[]) {
      test(`has room for the next one when one ${title}`, async (bench) => {
        const ids = await bench.fill(4, PAIR);
        const [first] = await bench.claim();
        await end(bench, first!);
        assert.deepEqual(await bench.claimIds(), [ids[2]]);
        assert.deepEqual(await bench.claimIds(), []);
      });
    }

    test('has room again for one that is released', async (bench) => {
      const ids = await bench.fill(4, PAIR);
      const [first] = await bench.claim();
      await bench.store.release([first!]);
      assert.deepEqual(await bench.claimIds(), [ids[0]]);
      assert.deepEqual(await bench.claimIds(), []);
    });

    test('counts a claim whose lease ran out until it is reclaimed: its handler may run yet', async (bench) => {
      const ids = await bench.fill(4, PAIR);
      await bench.claim();
      await bench.clock.advance(LEASE_MS * 2);
      assert.deepEqual(await bench.claim(), []);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 2);
      assert.deepEqual(await bench.claimIds(), ids.slice(0, 2));
    });

    test('is one of an organization and a queue: elsewhere it has room of its own', async (bench) => {
      const of = [
        { organizationId: 'acme' },
        { organizationId: 'umbrella' },
        { organizationId: 'acme', queue: 'sms' },
        { organizationId: 'acme', groupKey: 'other' },
      ];
      for (const each of of) await bench.fill(3, { ...PAIR, ...each });
      assert.equal((await bench.claim()).length, 6);
      assert.equal((await bench.claim({ queue: 'sms' })).length, 2);
      assert.deepEqual(await bench.claim(), []);
    });

    test('holds up no other lane, however many of its jobs stand in front', async (bench) => {
      await bench.fill(50, { ...PAIR, dueAt: START - 60_000, priority: 0 });
      await bench.claim();
      const others = [await bench.enqueue({ groupKey: 'h' }), await bench.enqueue(), await bench.enqueue({ organizationId: 'acme' })];
      assert.deepEqual((await bench.claimIds({ limit: 10 })).sort(), [...others].sort());
    });

    test('does not stand in its own way: jobs of the group without a cap run beside those with one', async (bench) => {
      const capped = await bench.fill(3, PAIR);
      const free = await bench.fill(3, { groupKey: 'g' });
      assert.deepEqual(await drain(bench), [...capped.slice(0, 2), ...free]);
    });

    test('of one runs its jobs one after another, in order', async (bench) => {
      const ids = await bench.fill(5, { groupKey: 'g', groupConcurrency: 1 });
      const ran: string[] = [];
      for (;;) {
        const claims = await bench.claim();
        if (claims.length === 0) break;
        assert.equal(claims.length, 1);
        ran.push(claims[0]!.id);
        await bench.ack(claims[0]!, COMPLETED);
      }
      assert.deepEqual(ran, ids);
    });

    test('takes up several places in one call when they are free', async (bench) => {
      const ids = await bench.fill(10, { groupKey: 'g', groupConcurrency: 7 });
      assert.deepEqual(await bench.claimIds({ limit: 3 }), ids.slice(0, 3));
      assert.deepEqual(await bench.claimIds({ limit: 100 }), ids.slice(3, 7));
      assert.deepEqual(await bench.claimIds({ limit: 100 }), []);
    });

    test('is exact under claims of two nodes at once, for as long as jobs come and go', async (bench) => {
      await bench.fill(12, { groupKey: 'g', groupConcurrency: 3 });
      await bench.fill(6, { groupKey: 'h', groupConcurrency: 1 });
      const done: string[] = [];
      for (let round = 0; round < 60 && done.length < 18; round += 1) {
        const claims = (
          await Promise.all(
            Array.from({ length: 4 }, (_, at) =>
              at % 2 === 0 ? bench.claim({ limit: 5 }) : bench.claim({ limit: 5, workerId: 'worker-b' }, bench.second),
            ),
          )
        ).flat();
        const held = (await bench.rows()).filter(({ status }) => status === 'running');
        assert.equal(held.length, claims.length);
        assert.ok(held.filter(({ groupKey }) => groupKey === 'g').length <= 3, 'three of g at once at most');
        assert.ok(held.filter(({ groupKey }) => groupKey === 'h').length <= 1, 'one of h at once at most');
        for (const claim of claims) assert.equal(await bench.ack(claim, COMPLETED), 'acked');
        done.push(...claims.map(({ id }) => id));
      }
      assert.equal(new Set(done).size, 18, 'and all of them run, each once');
    });

    test('at its cap is not said to be claimable (control: with room it is, and another lane is)', async (bench) => {
      await bench.fill(3, PAIR);
      const claimable = async () => (await bench.store.survey({ queues: [{ queue: QUEUE }] })).claimable;
      assert.deepEqual(await claimable(), [QUEUE]);
      const [first] = await bench.claim();
      assert.deepEqual(await claimable(), []);
      const other = await bench.enqueue();
      assert.deepEqual(await claimable(), [QUEUE]);
      await bench.store.cancel(other);
      assert.deepEqual(await claimable(), []);
      await bench.ack(first!, COMPLETED);
      assert.deepEqual(await claimable(), [QUEUE]);
    });
  });
}

/** Claims until nothing is given. */
async function drain(bench: JobBench): Promise<string[]> {
  const taken: string[] = [];
  for (;;) {
    const ids = await bench.claimIds();
    if (ids.length === 0) return taken;
    taken.push(...ids);
  }
}

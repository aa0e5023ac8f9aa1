import assert from 'node:assert/strict';
import { JOB_LEASE_EXPIRED } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { assertUnclaimed } from './held-job-claims.js';
import { type JobStoreConformanceOptions, jobSection, LEASE_MS, START } from './job-bench.js';

export function reclaimSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'reclaim', (test) => {
    test('[Q5] returns an expired lease to pending, at its expiry and not before; the attempt stays counted', async (bench) => {
      const id = await bench.enqueue();
      await bench.claimOne();
      const held = await bench.row(id);
      await bench.clock.advance(LEASE_MS - 1);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 0);
      assert.deepEqual(await bench.row(id), held);
      await bench.clock.advance(1);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
      assert.deepEqual(await bench.row(id), {
        ...held,
        status: 'pending',
        claimedBy: null,
        lockedUntil: null,
        lastError: JOB_LEASE_EXPIRED,
        updatedAt: START + LEASE_MS,
      });
      assert.equal((await bench.claimOne({ workerId: 'worker-b' }, bench.second)).attempts, 2);
    });

    test('[Q5] at the last attempt makes the job dead of "lease expired" (control: one attempt earlier it returns)', async (bench) => {
      const id = await bench.enqueue({ maxAttempts: 2 });
      await bench.claimOne();
      await bench.clock.advance(LEASE_MS);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
      assert.equal((await bench.row(id)).status, 'pending');
      await bench.claimOne();
      await bench.clock.advance(LEASE_MS);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
      const row = await bench.row(id);
      assert.deepEqual([row.status, row.attempts, row.lastError, row.finishedAt], ['dead', 2, 'lease expired', START + 2 * LEASE_MS]);
      assertUnclaimed(row);
      assert.deepEqual(await bench.claim(), []);
    });

    test('goes over every queue and organization, paused ones too, and says how many', async (bench) => {
      await bench.enqueue();
      await bench.enqueue({ queue: 'sms', organizationId: 'acme' });
      await bench.enqueue({ groupKey: 'g', groupConcurrency: 1 });
      await bench.claim();
      await bench.claim({ queue: 'sms' });
      await bench.store.setPaused('sms', true);
      await bench.clock.advance(LEASE_MS);
      assert.equal(await bench.second.reclaim({ limit: 10 }), 3);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 0);
      assert.deepEqual(await bench.statuses(), ['pending', 'pending', 'pending']);
    });

    test('takes the earliest ones up to the limit, the rest with the next call', async (bench) => {
      await bench.fill(5);
      for (const leaseMs of [500, 100, 400, 200, 300]) await bench.claimOne({ limit: 1, leaseMs });
      await bench.clock.advance(600);
      assert.equal(await bench.store.reclaim({ limit: 2 }), 2);
      assert.deepEqual(await bench.statuses(), ['running', 'pending', 'running', 'pending', 'running']);
      assert.equal(await bench.store.reclaim({ limit: 2 }), 2);
      assert.equal(await bench.store.reclaim({ limit: 2 }), 1);
      assert.equal(await bench.store.reclaim({ limit: 2 }), 0);
    });

    test('goes by the lease of each claim, and leaves live ones', async (bench) => {
      await bench.fill(2);
      const short = await bench.claimOne({ limit: 1, leaseMs: 1_000 });
      const long = await bench.claimOne({ limit: 1, leaseMs: 1_001 });
      assert.equal(await bench.store.reclaim({ limit: 10, now: START + 999 }), 0);
      assert.equal(await bench.store.reclaim({ limit: 10, now: START + 1_000 }), 1);
      assert.deepEqual([(await bench.row(short.id)).status, (await bench.row(long.id)).status], ['pending', 'running']);
    });

    test('by two nodes at once counts each job once', async (bench) => {
      await bench.fill(30);
      await bench.claim();
      await bench.clock.advance(LEASE_MS);
      const counts = await Promise.all([bench.store, bench.second, bench.store].map((node) => node.reclaim({ limit: 20 })));
      const rest = await bench.store.reclaim({ limit: 30 });
      assert.equal(
        [...counts, rest].reduce((sum, count) => sum + count, 0),
        30,
      );
      for (const row of await bench.rows()) assert.deepEqual([row.status, row.attempts], ['pending', 1]);
    });

    test('refuses no limit, more than 10 000, and no time', async (bench) => {
      for (const limit of [0, -1, 1.5, 10_001, Number.NaN]) await refusal(() => bench.store.reclaim({ limit }));
      await refusal(() => bench.store.reclaim({ limit: 1, now: -1 }));
    });
  });
}

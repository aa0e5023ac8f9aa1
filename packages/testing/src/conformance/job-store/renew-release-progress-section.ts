import assert from 'node:assert/strict';
import type { ClaimedJob } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { assertUnclaimed, COMPLETED } from './held-job-claims.js';
import { type JobStoreConformanceOptions, jobSection, LEASE_MS, START } from './job-bench.js';

export function renewReleaseProgressSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'renew', (test) => {
    test('extends held leases, each by its own, and reports the lost ones in the order of the claims', async (bench) => {
      await bench.fill(3);
      const claims = (await bench.claim()) as [ClaimedJob, ClaimedJob, ClaimedJob];
      await bench.ack(claims[1], COMPLETED);
      const before = (await bench.rows()) as [ClaimedJob, ClaimedJob, ClaimedJob];
      await bench.clock.advance(3_000);
      const outcomes = await bench.store.renew([
        { claim: claims[2], leaseMs: 9_000 },
        { claim: claims[1], leaseMs: 9_000 },
        { claim: claims[0], leaseMs: 4_000 },
      ]);
      assert.deepEqual(outcomes, ['acked', 'lost', 'acked']);
      const rows = await bench.rows();
      assert.deepEqual(rows, [
        { ...before[0], lockedUntil: START + 7_000, updatedAt: rows[0]?.updatedAt },
        before[1],
        { ...before[2], lockedUntil: START + 12_000, updatedAt: rows[2]?.updatedAt },
      ]);
      assert.deepEqual(await bench.store.renew([]), []);
    });

    test('lets a job outlive its first lease (control: one that is not renewed does not)', async (bench) => {
      const [renewed, left] = await bench.fill(2);
      const claims = await bench.claim();
      await bench.clock.advance(LEASE_MS - 1);
      await bench.store.renew([{ claim: claims[0]!, leaseMs: LEASE_MS }]);
      await bench.clock.advance(1);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
      assert.equal((await bench.row(renewed!)).status, 'running');
      assert.equal((await bench.row(left!)).status, 'pending');
      assert.equal(await bench.ack(claims[0]!, COMPLETED), 'acked');
    });

    test('may shorten a lease, too', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.store.renew([{ claim, leaseMs: 10 }]);
      assert.equal((await bench.row(claim.id)).lockedUntil, START + 10);
    });

    test('refuses a lease below 1 ms, and renews none of the call', async (bench) => {
      await bench.fill(2);
      const [first, second] = (await bench.claim()) as [ClaimedJob, ClaimedJob];
      await bench.clock.advance(5);
      for (const leaseMs of [0, -1, Number.NaN, 1.5]) {
        await refusal(() =>
          bench.store.renew([
            { claim: first, leaseMs: LEASE_MS },
            { claim: second, leaseMs },
          ]),
        );
      }
      for (const row of await bench.rows()) assert.equal(row.lockedUntil, START + LEASE_MS);
    });
  });

  jobSection(options, 'release', (test) => {
    test('gives the job back as it was before the claim: the attempt is not counted, its place stays', async (bench) => {
      const id = await bench.enqueue({ dueAt: START - 500 });
      const before = await bench.row(id);
      for (let at = 0; at < 7; at += 1) {
        const claim = await bench.claimOne();
        assert.equal(claim.attempts, 1);
        assert.deepEqual(await bench.store.release([claim]), ['acked']);
        const row = await bench.row(id);
        assert.deepEqual(row, { ...before, updatedAt: row.updatedAt });
      }
    });

    test('leaves what earlier attempts left: their count, their error', async (bench) => {
      const id = await bench.enqueue();
      await bench.ack(await bench.claimOne(), { outcome: 'retry', error: 'first', dueAt: START });
      await bench.store.release([await bench.claimOne()]);
      const row = await bench.row(id);
      assert.deepEqual([row.status, row.attempts, row.lastError], ['pending', 1, 'first']);
      assertUnclaimed(row);
    });

    test('hands back many, gives outcomes in their order, and leaves alone what is not held', async (bench) => {
      await bench.fill(3);
      const claims = (await bench.claim()) as [ClaimedJob, ClaimedJob, ClaimedJob];
      await bench.ack(claims[1], COMPLETED);
      assert.deepEqual(await bench.store.release(claims), ['acked', 'lost', 'acked']);
      assert.deepEqual(await bench.statuses(), ['pending', 'completed', 'pending']);
      assert.deepEqual(await bench.store.release([]), []);
    });

    test('makes the job claimable for everyone at once', async (bench) => {
      await bench.enqueue();
      await bench.store.release([await bench.claimOne()]);
      assert.equal((await bench.claimOne({ workerId: 'worker-b' }, bench.second)).claimedBy, 'worker-b');
    });
  });

  jobSection(options, 'progress', (test) => {
    test('is kept with the job, as a whole number', async (bench) => {
      const id = await bench.enqueue();
      const claim = await bench.claimOne();
      const before = await bench.row(id);
      await bench.clock.advance(5);
      for (const [percent, kept] of [
        [0, 0],
        [41, 41],
        [99.9, 99],
        [100, 100],
        [12, 12],
      ] as const) {
        assert.equal(await bench.store.progress(claim, percent), 'acked');
        const row = await bench.row(id);
        assert.deepEqual(row, { ...before, progress: kept, updatedAt: row.updatedAt });
      }
    });

    test('stays what the handler last said, over attempts and the end', async (bench) => {
      const id = await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.store.progress(claim, 40);
      await bench.ack(claim, { outcome: 'retry', error: 'x', dueAt: START });
      const again = await bench.claimOne();
      assert.equal(again.progress, 40);
      await bench.ack(again, COMPLETED);
      assert.equal((await bench.row(id)).progress, 40);
    });

    test('refuses what is none, and keeps what there was', async (bench) => {
      const id = await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.store.progress(claim, 40);
      for (const percent of [-1, 100.5, Number.NaN, Number.POSITIVE_INFINITY, '50' as unknown as number]) {
        await refusal(() => bench.store.progress(claim, percent));
      }
      assert.equal((await bench.row(id)).progress, 40);
    });
  });
}

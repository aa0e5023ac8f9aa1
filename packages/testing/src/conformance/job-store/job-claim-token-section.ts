import assert from 'node:assert/strict';
import { assertLost, COMPLETED, takenOver } from './held-job-claims.js';
import { type JobStoreConformanceOptions, jobSection, LEASE_MS, START } from './job-bench.js';

export function jobClaimTokenSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'a claim that is no longer held', (test) => {
    test('[Q3] changes nothing: the job was reclaimed and claimed by another worker', async (bench) => {
      const { late, held } = await takenOver(bench, 'worker-b');
      await assertLost(bench, late);
      assert.equal(await bench.ack(held, { outcome: 'dead', error: 'mine' }, bench.second), 'acked');
      assert.equal((await bench.row(held.id)).lastError, 'mine');
    });

    test('[Q3] changes nothing: the same worker claimed the job again', async (bench) => {
      const { late, held } = await takenOver(bench, 'worker-a');
      await assertLost(bench, late);
      assert.equal(await bench.ack(held, COMPLETED), 'acked');
    });

    test('[Q3] changes nothing: the same worker failed it and claimed it again within one instant', async (bench) => {
      await bench.enqueue();
      const late = await bench.claimOne();
      await bench.ack(late, { outcome: 'retry', error: 'again', dueAt: START });
      const held = await bench.claimOne();
      assert.deepEqual([held.claimedBy, held.lockedUntil], [late.claimedBy, late.lockedUntil], 'only the token tells the two apart');
      await assertLost(bench, late);
      assert.equal(await bench.ack(held, COMPLETED), 'acked');
    });

    test('[Q3] changes nothing: it was released and claimed again by the same worker', async (bench) => {
      await bench.enqueue();
      const late = await bench.claimOne();
      await bench.store.release([late]);
      const held = await bench.claimOne();
      assert.equal(held.attempts, late.attempts);
      await assertLost(bench, late);
      assert.equal(await bench.ack(held, COMPLETED), 'acked');
    });

    test('changes nothing: the job was reclaimed and waits', async (bench) => {
      await bench.enqueue();
      const late = await bench.claimOne();
      await bench.clock.advance(LEASE_MS);
      await bench.store.reclaim({ limit: 10 });
      await assertLost(bench, late);
      assert.deepEqual(await bench.statuses(), ['pending']);
    });

    test('changes nothing: it was released', async (bench) => {
      await bench.enqueue();
      const late = await bench.claimOne();
      await bench.store.release([late]);
      await assertLost(bench, late);
      assert.deepEqual(await bench.statuses(), ['pending']);
    });

    test('changes nothing: it was acked', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      assert.equal(await bench.ack(claim, { outcome: 'dead', error: 'gone' }), 'acked');
      await assertLost(bench, claim);
    });

    test('changes nothing: the job died of its leases', async (bench) => {
      await bench.enqueue({ maxAttempts: 1 });
      const late = await bench.claimOne();
      await bench.clock.advance(LEASE_MS);
      await bench.store.reclaim({ limit: 10 });
      assert.deepEqual(await bench.statuses(), ['dead']);
      await assertLost(bench, late);
    });

    test('changes nothing: the job was acked, purged or never there', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.ack(claim, { outcome: 'dead', error: 'gone' });
      await bench.store.purgeFailed(claim.id);
      await assertLost(bench, claim);
      await bench.enqueue();
      const held = await bench.claimOne();
      await assertLost(bench, { ...held, id: 'unknown' });
      assert.equal(await bench.ack(held, COMPLETED), 'acked');
    });

    test('is one of two that settle a job at the same time: the first is acked, the other lost', async (bench) => {
      for (let trial = 0; trial < 10; trial += 1) {
        await bench.enqueue();
        const claim = await bench.claimOne();
        const outcomes = await Promise.all([
          bench.ack(claim, COMPLETED),
          bench.ack(claim, { outcome: 'dead', error: 'gone' }, bench.second),
        ]);
        assert.deepEqual([...outcomes].sort(), ['acked', 'lost']);
      }
    });

    test('is not one whose lease ran out while nobody has reclaimed it', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.clock.advance(LEASE_MS * 2);
      assert.equal(await bench.store.progress(claim, 90), 'acked');
      assert.deepEqual(await bench.store.renew([{ claim, leaseMs: LEASE_MS }]), ['acked']);
      assert.equal(await bench.ack(claim, COMPLETED), 'acked');
    });
  });
}

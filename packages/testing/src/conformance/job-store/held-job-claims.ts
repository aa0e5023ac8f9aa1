import assert from 'node:assert/strict';
import type { ClaimedJob, Job, JobResult } from '@bellhop/contracts';
import { type JobBench, LEASE_MS, START } from './job-bench.js';

export const COMPLETED: JobResult = { outcome: 'completed' };

/** A claim whose lease ran out, and the one that took its job over. */
export async function takenOver(bench: JobBench, workerId: string): Promise<{ late: ClaimedJob; held: ClaimedJob }> {
  await bench.enqueue();
  const late = await bench.claimOne({ workerId: 'worker-a' });
  await bench.clock.advance(LEASE_MS + 1);
  assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
  const held = await bench.claimOne({ workerId }, bench.second);
  assert.equal(held.id, late.id);
  assert.notEqual(held.claimToken, late.claimToken);
  assert.equal(held.attempts, 2);
  return { late, held };
}

/** Whatever is asked by a claim that is not held, it is lost, and no column of any row changes. */
export async function assertLost(bench: JobBench, late: ClaimedJob): Promise<void> {
  const before = await bench.rows();
  await bench.clock.advance(1);
  for (const result of [
    COMPLETED,
    { outcome: 'retry', error: 'late', dueAt: START + 99 },
    { outcome: 'dead', error: 'late' },
    { outcome: 'snooze', dueAt: START + 99 },
  ] satisfies JobResult[]) {
    assert.equal(await bench.ack(late, result), 'lost');
    assert.deepEqual(await bench.rows(), before);
  }
  assert.deepEqual(await bench.store.renew([{ claim: late, leaseMs: LEASE_MS }]), ['lost']);
  assert.deepEqual(await bench.store.release([late]), ['lost']);
  assert.equal(await bench.store.progress(late, 50), 'lost');
  assert.deepEqual(await bench.rows(), before);
}

export function assertUnclaimed(row: Job): void {
  assert.deepEqual([row.claimedBy, row.lockedUntil], [null, null]);
}

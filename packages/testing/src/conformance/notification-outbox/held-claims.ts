import assert from 'node:assert/strict';
import type { AckResult, ClaimedDelivery } from '@bellhop/contracts';
import { CLAIM_TTL_MS, type OutboxBench, START } from './outbox-bench.js';

export const SUCCESS: AckResult = { success: true, externalId: 'provider-1' };

/** A claim that expired, and the one that took its row over. */
export async function reclaimed(bench: OutboxBench, nodeId: string): Promise<{ late: ClaimedDelivery; held: ClaimedDelivery }> {
  await bench.enqueue();
  const late = await bench.claimOne({ nodeId: 'node-a' });
  await bench.clock.advance(CLAIM_TTL_MS + 1);
  const held = await bench.claimOne({ nodeId }, bench.second);
  assert.equal(held.id, late.id);
  assert.notEqual(held.claimToken, late.claimToken);
  assert.equal(held.attempts, 2);
  return { late, held };
}

/** Whatever the late result says, it is lost and no column of any row changes. */
export async function assertRefused(bench: OutboxBench, late: ClaimedDelivery): Promise<void> {
  const before = await bench.rows();
  await bench.clock.advance(1);
  for (const result of [
    SUCCESS,
    { success: false, error: 'late', nextAttemptAt: START + 99 },
    { success: false, error: 'late', dead: true },
    { success: false, error: 'late', suppressed: true },
  ] satisfies AckResult[]) {
    assert.equal(await bench.ack(late, result), 'lost');
    assert.deepEqual(await bench.rows(), before);
  }
}

export function assertUnclaimed(row: { claimedBy: unknown; claimedAt: unknown; claimExpiresAt: unknown }): void {
  assert.deepEqual([row.claimedBy, row.claimedAt, row.claimExpiresAt], [null, null, null]);
}

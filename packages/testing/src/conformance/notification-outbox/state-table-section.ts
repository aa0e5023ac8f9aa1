import assert from 'node:assert/strict';
import { type AckResult, type ClaimedDelivery, DELIVERY_STATUSES, type DeliveryStatus } from '@bellhop/contracts';
import { DELIVERY_OPERATIONS, DELIVERY_STATE_TABLE, type DeliveryOperation } from './delivery-state-table.js';
import {
  CLAIM_TTL_MS,
  type NotificationOutboxConformanceOptions,
  type OutboxBench,
  type OutboxCapability,
  outboxSection,
} from './outbox-bench.js';

const NEEDS: Partial<Record<DeliveryOperation, OutboxCapability>> = { renew: 'renew', release: 'release', reap: 'reap', cancel: 'cancel' };

/** Every cell of the state table, on a row and a channel of its own. */
export function stateTableSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'state table', ({ test }) => {
    for (const status of DELIVERY_STATUSES) {
      test(
        `[state-table] ${status}`,
        async (bench) => {
          for (const operation of DELIVERY_OPERATIONS) {
            const needed = NEEDS[operation];
            if (!needed || bench.outbox[needed]) await checkCell(bench, status, operation);
          }
        },
        status === 'cancelled' ? ['cancel'] : [],
      );
    }
  });
}

async function checkCell(bench: OutboxBench, status: DeliveryStatus, operation: DeliveryOperation): Promise<void> {
  const cell = `${status} × ${operation}`;
  const channel = `${status}-${operation}`;
  const claim = await bring(bench, channel, status);
  const before = await bench.row(claim.id);
  assert.equal(before.status, status, `${cell}: the row is there to begin with`);
  await bench.clock.advance(operation === 'reap' ? CLAIM_TTL_MS : 1);
  const expected = DELIVERY_STATE_TABLE[status][operation];
  assert.equal(await perform(bench, claim, operation), expected.answer, `${cell}: the answer`);
  const after = await bench.row(claim.id);
  assert.equal(after.status, expected.to, `${cell}: the status after`);
  if (operation === 'renew' && status === 'in_flight') {
    assert.deepEqual(after, { ...before, claimExpiresAt: bench.clock.now() + CLAIM_TTL_MS, updatedAt: after.updatedAt }, cell);
  } else if (expected.to === status) {
    assert.deepEqual(after, before, `${cell}: nothing is written`);
  }
  // Out of the way of the cells that follow: a reap is store-wide.
  if (after.status === 'in_flight' && (await bench.ack(claim, { success: true })) === 'lost') {
    await bench.clock.advance(CLAIM_TTL_MS);
    await bench.ack(await bench.claimOne({ channels: [channel] }), { success: true });
  }
}

/** A row in that status, with the claim that was its last. */
async function bring(bench: OutboxBench, channel: string, status: DeliveryStatus): Promise<ClaimedDelivery> {
  await bench.enqueue({ notificationId: channel, channel });
  const claim = await bench.claimOne({ channels: [channel], skipReap: true });
  const results: Partial<Record<DeliveryStatus, AckResult>> = {
    pending: { success: false, error: 'again', nextAttemptAt: bench.clock.now() },
    cancelled: { success: false, error: 'again', nextAttemptAt: bench.clock.now() },
    success: { success: true, externalId: 'first' },
    dead: { success: false, error: 'gone', dead: true },
    suppressed: { success: false, error: 'nobody', suppressed: true },
  };
  const result = results[status];
  if (result) assert.equal(await bench.ack(claim, result), 'acked');
  if (status === 'cancelled') assert.equal(await bench.capability('cancel')({ deliveryId: claim.id }), 1);
  return claim;
}

async function perform(bench: OutboxBench, claim: ClaimedDelivery, operation: DeliveryOperation): Promise<string> {
  const { notificationId, channel, recipientId, id } = claim;
  const error = 'later';
  const nextAttemptAt = bench.clock.now() + 1_000;
  switch (operation) {
    case 'enqueue again':
      return (await bench.enqueue({ notificationId, channel, recipientId })) === id ? 'first id' : 'another id';
    case 'claim': {
      const claimed = await bench.claim({ channels: [channel], skipReap: true });
      return claimed.length === 0 ? 'none' : claimed.map((row) => row.id).join() === id ? 'the row' : 'other rows';
    }
    case 'ack success':
      return bench.ack(claim, { success: true, externalId: 'second' });
    case 'ack retry':
      return bench.ack(claim, { success: false, error, nextAttemptAt });
    case 'ack uncounted retry':
      return bench.ack(claim, { success: false, error, nextAttemptAt, uncounted: true });
    case 'ack dead':
      return bench.ack(claim, { success: false, error, dead: true });
    case 'ack suppressed':
      return bench.ack(claim, { success: false, error, suppressed: true });
    case 'renew':
      return (await bench.capability('renew')([claim], CLAIM_TTL_MS)).join();
    case 'release':
      await bench.capability('release')([claim]);
      return 'nothing';
    case 'reap':
      return String(await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS }));
    case 'cancel':
      return String(await bench.capability('cancel')({ deliveryId: id }));
  }
}

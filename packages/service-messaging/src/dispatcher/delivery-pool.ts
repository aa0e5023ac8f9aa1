import type { ClaimedDelivery } from '@bellhop/contracts';
import { errorMessage } from '@bellhop/kernel';
import { ClaimPool } from '@bellhop/loop';
import { attemptDelivery } from './delivery-attempt.js';
import type { DeliveryTally } from './delivery-tally.js';
import { type AttemptOutcome, ackUnits, type DeliveryUnit, renewUnits } from './delivery-unit.js';
import type { AttemptReport, DispatcherSettings, NotificationDispatcherOptions } from './dispatcher-options.js';

export interface DeliveryPoolHooks {
  readonly tally: DeliveryTally;
  readonly onFree: () => void;
  /** A retry was written that is due then, epoch milliseconds. */
  readonly onRetry: (dueAt: number) => void;
}

/** The pool of a notification dispatcher: units are sent through their channels and settled in the outbox, each channel a lane. */
export function createDeliveryPool(
  { outbox, channels, concurrency, channelConcurrency, onAttempt }: NotificationDispatcherOptions,
  { clock, random, logger, batchSize, claimTtlMs, sendTimeoutMs, nodeId }: DispatcherSettings,
  { tally, onFree, onRetry }: DeliveryPoolHooks,
): ClaimPool<DeliveryUnit, AttemptOutcome> {
  const { renew, release } = outbox;
  const ports = { channel: (id: string) => channels.get(id), clock, random, logger, sendTimeoutMs };
  return new ClaimPool<DeliveryUnit, AttemptOutcome>({
    clock,
    claimTtlMs,
    batchSize,
    ...(concurrency === undefined ? {} : { concurrency }),
    laneLimits: channelConcurrency ?? {},
    // Row by row, a batch would only make one row's failure the others' too.
    ackBatchSize: outbox.ackMany ? 64 : 1,
    key: ({ key }) => key,
    lane: ({ channel }) => channel,
    run: (unit, signal) => attemptDelivery(unit, ports, signal),
    ack: (batch) => ackUnits(outbox, batch),
    ...(renew ? { renew: (units) => renewUnits((rows, ttlMs) => renew.call(outbox, rows, ttlMs), units, claimTtlMs) } : {}),
    ...(release ? { release: (units) => release.call(outbox, allRows(units)) } : {}),
    onFree,
    onLost: (unit) => tally.lost(unit),
    onError: (error, unit) =>
      logger.warn({ nodeId, deliveryId: unit?.rows[0]?.id, error: errorMessage(error) }, 'a call to the outbox failed'),
    onAcked: (unit, outcome) => {
      const { result, durationMs } = outcome;
      const acked = tally.written(unit, outcome);
      if (!result.success) {
        logger.warn(
          { nodeId, deliveryId: acked[0]?.id, channel: unit.channel, rows: acked.length, error: result.error },
          'delivery attempt failed',
        );
        if (result.nextAttemptAt !== undefined) onRetry(result.nextAttemptAt);
      }
      for (const delivery of acked) tell(onAttempt, { delivery, success: result.success, result, durationMs });
    },
  });
}

function allRows(units: readonly DeliveryUnit[]): ClaimedDelivery[] {
  return units.flatMap(({ rows }) => rows);
}

/** A hook may watch deliveries, never stop them. */
function tell(onAttempt: NotificationDispatcherOptions['onAttempt'], attempt: AttemptReport): void {
  try {
    const returned = onAttempt?.(attempt);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // Said above.
  }
}

import type { AttemptOutcome, DeliveryUnit } from './delivery-unit.js';

/** Rows, since the dispatcher was made. */
export interface DeliveryCounts {
  readonly claimed: number;
  readonly delivered: number;
  /** Attempts that failed and are retried; a rate limit is `deferred`, not a failure. */
  readonly failed: number;
  readonly deferred: number;
  readonly dead: number;
  readonly suppressed: number;
  /** Claims that somebody else took over. */
  readonly lost: number;
  /** Expired claims this node returned to pending. */
  readonly reaped: number;
}

/** Counts what becomes of rows. */
export class DeliveryTally {
  readonly counts = {
    claimed: 0,
    delivered: 0,
    failed: 0,
    deferred: 0,
    dead: 0,
    suppressed: 0,
    lost: 0,
    reaped: 0,
  } satisfies DeliveryCounts;

  lost({ rows }: DeliveryUnit): void {
    this.counts.lost += rows.length;
  }

  /** @returns the rows whose outcome is written; the others of the unit were lost. */
  written({ rows, written }: DeliveryUnit, { result }: AttemptOutcome): DeliveryUnit['rows'] {
    const acked = rows.filter(({ id }) => written.get(id) === 'acked');
    this.counts.lost += rows.length - acked.length;
    if (result.success) this.counts.delivered += acked.length;
    else if (result.dead) this.counts.dead += acked.length;
    else if (result.suppressed) this.counts.suppressed += acked.length;
    else if (result.uncounted) this.counts.deferred += acked.length;
    else this.counts.failed += acked.length;
    return acked;
  }
}

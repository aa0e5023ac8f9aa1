import type { PairFacts, PairState } from './pace.js';

/** Columns that both the sweep's read and the explanation have. */
interface FactRow {
  readonly oldest: number | null;
  readonly live_claim_at: number | null;
  readonly progress_at: number | null;
  readonly door_opened_at: number | null;
  readonly nudges: number | null;
  readonly last_nudged_at: number | null;
  readonly quiet_since: number | null;
}

/** The ledger's row among what was read of a pair; null where it has none. */
export function toState({ nudges, last_nudged_at: lastNudgedAt, quiet_since: quietSince }: FactRow): PairState | null {
  return nudges === null || lastNudgedAt === null ? null : { nudges, lastNudgedAt, quietSince };
}

export function toFacts(row: FactRow, deliverable: boolean): PairFacts {
  return {
    oldestPendingSince: row.oldest,
    deliverable,
    newestLiveClaimAt: row.live_claim_at,
    newestProgressAt: row.progress_at,
    doorOpenedAt: row.door_opened_at,
  };
}

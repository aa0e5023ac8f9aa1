// When a pair of endpoint and queue is nudged: the whole of pacing, as a pure function. The charge says the same in SQL, made of these constants, and
// is tested against it. Must never read a clock or a table.

/** Milliseconds for which a queue's oldest todo must have been pending, and one more: until then its consumer may just be on its way. */
export const STALL_AFTER_MS = 120_000;

/** Milliseconds to the next nudge after 0, 1, 2, 3 and 4 of them. None was delivered, or the queue was empty since: as after one. */
export const WAITS_MS: readonly number[] = [300_000, 300_000, 1_200_000, 3_600_000, 21_600_000];

/** Nudges without progress after which a pair is left in peace: its consumer is broken, or was never meant to come. */
export const MAX_NUDGES = 5;

/** Milliseconds for which a consumer that holds a lease is left alone after its newest claim, and after the last nudge. */
export const BUSY_HOLD_MS = 300_000;

/** Milliseconds that a claim may have begun before the last nudge and count as made after it: its transaction may have committed later. */
export const CLAIM_OVERLAP_MS = 5_000;

/**
 * Milliseconds between two nudges of a pair, whatever happens to it and however many processes sweep. A little less than lies between two ticks of
 * one, so that none of them misses by a hair.
 */
export const SPACING_MS = 25_000;

/** Milliseconds for which a pair must have had nothing to claim before it is forgotten. */
export const FORGET_AFTER_MS = 600_000;

/** What is remembered of a pair that was nudged. Times are epoch milliseconds. */
export interface PairState {
  /** Nudges since the last progress. Those that nobody accepted are taken back. */
  readonly nudges: number;
  readonly lastNudgedAt: number;
  /** Since when it has nothing to claim; null: it has, as far as the last sweep saw. */
  readonly quietSince: number | null;
}

/** What the board says of a pair. Times are epoch milliseconds. */
export interface PairFacts {
  /** Since when the oldest todo is pending that passes the gate and is assigned to nobody; null where there is none. */
  readonly oldestPendingSince: number | null;
  /** A wake could be delivered. */
  readonly deliverable: boolean;
  /** The newest claim that holds a live lease; null where none does. */
  readonly newestLiveClaimAt: number | null;
  /** The newest claim that was not merely given back; null where none is known. */
  readonly newestProgressAt: number | null;
  /** When a hook that covers the queue was created, enabled or rotated last; null where none is known. */
  readonly doorOpenedAt: number | null;
}

/** `first`, `again`, `progress` and `fresh_door` are what makes a pair due; the others keep it from being so. */
export type PaceReason =
  | 'drained'
  | 'undeliverable'
  | 'too_young'
  | 'exhausted'
  | 'busy'
  | 'waiting'
  | 'first'
  | 'again'
  | 'progress'
  | 'fresh_door';

export interface Pace {
  /** `nextDueAt` is not later than now. */
  readonly due: boolean;
  readonly reason: PaceReason;
  /** Epoch milliseconds from which it is due if nothing changes; null: never. */
  readonly nextDueAt: number | null;
  /** The next nudge counts as the first. */
  readonly resets: boolean;
}

/** Milliseconds from the last nudge to the next. @param nudges that count; from 4 on the wait stays. */
export function wait(nudges: number): number {
  return WAITS_MS[Math.min(nudges, WAITS_MS.length - 1)] as number;
}

/** @param state null: the pair was not nudged, or that is forgotten. @param now epoch milliseconds. */
export function pace(state: PairState | null, facts: PairFacts, now: number): Pace {
  if (facts.oldestPendingSince === null) return never('drained');
  if (!facts.deliverable) return never('undeliverable');
  const oldUntil = facts.oldestPendingSince + STALL_AFTER_MS;
  const turn = turnOf(state, facts);
  if (turn === null) return never(now <= oldUntil ? 'too_young' : 'exhausted');
  const busyUntil = busyUntilOf(state, facts);
  const nextDueAt = Math.max(oldUntil + 1, busyUntil, turn.from);
  const { resets } = turn;
  if (nextDueAt <= now) return { due: true, reason: turn.reason, nextDueAt, resets };
  const reason = now <= oldUntil ? 'too_young' : now < busyUntil ? 'busy' : 'waiting';
  return { due: false, reason, nextDueAt, resets };
}

function never(reason: PaceReason): Pace {
  return { due: false, reason, nextDueAt: null, resets: false };
}

interface Turn {
  readonly from: number;
  readonly reason: PaceReason;
  readonly resets: boolean;
}

/** From when on the ledger allows a nudge; null: not at all. */
function turnOf(state: PairState | null, { doorOpenedAt, newestProgressAt }: PairFacts): Turn | null {
  if (state === null) return { from: 0, reason: 'first', resets: false };
  const { lastNudgedAt, quietSince } = state;
  const soonest = lastNudgedAt + SPACING_MS;
  if (doorOpenedAt !== null && doorOpenedAt > lastNudgedAt) return { from: soonest, reason: 'fresh_door', resets: true };
  const nudges = quietSince === null ? state.nudges : 0;
  // At 0 there is no count that progress could reset: a queue that runs empty and fills again keeps its wait.
  if (nudges > 0 && newestProgressAt !== null && newestProgressAt > lastNudgedAt - CLAIM_OVERLAP_MS) {
    return { from: soonest, reason: 'progress', resets: true };
  }
  return nudges < MAX_NUDGES ? { from: lastNudgedAt + wait(nudges), reason: 'again', resets: false } : null;
}

function busyUntilOf(state: PairState | null, { newestLiveClaimAt }: PairFacts): number {
  if (newestLiveClaimAt === null) return 0;
  return Math.max(newestLiveClaimAt, state?.lastNudgedAt ?? newestLiveClaimAt) + BUSY_HOLD_MS;
}

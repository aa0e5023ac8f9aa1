import { type AckResult, DELIVERY_ATTEMPT_LIMIT, type SendErrorClass } from '@bellhop/contracts';

/** Wait after the first, second … fifth failed attempt, before jitter. The sixth failure is the last. */
export const RETRY_DELAYS_MS = [1_000, 10_000, 60_000, 600_000, 3_600_000] as const;

/** What a rate-limited channel is left alone for when it does not say. */
export const DEFAULT_RETRY_AFTER_MS = 60_000;
/** A channel that asks for less would be polled; one that asks for more would be forgotten. */
export const RETRY_AFTER_BOUNDS_MS = { least: 1_000, most: 86_400_000 } as const;

export interface Failure {
  readonly errorClass: SendErrorClass;
  readonly error: string;
  /** Attempts begun, this one included. */
  readonly attempts: number;
  /** What the channel asked for, with `rate_limited`. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * What a failed attempt comes to.
 *
 * @param at.now epoch milliseconds.
 * @param at.draw one random number in [0, 1) for the whole attempt: the rows of a digest are due again at one instant, or they would come apart.
 */
export function settleFailure(failure: Failure, at: { readonly now: number; readonly draw: number }): AckResult {
  const { errorClass, error, attempts } = failure;
  switch (errorClass) {
    case 'duplicate':
      return { success: true };
    case 'permanent':
      return { success: false, error, dead: true };
    case 'invalid_recipient':
      return { success: false, error, suppressed: true };
    case 'rate_limited':
      return { success: false, error, nextAttemptAt: Math.ceil(at.now + retryAfter(failure.retryAfterMs)), uncounted: true };
    default: {
      const delay = attempts >= DELIVERY_ATTEMPT_LIMIT ? undefined : RETRY_DELAYS_MS[Math.max(1, attempts) - 1];
      if (delay === undefined) return { success: false, error, dead: true };
      return { success: false, error, nextAttemptAt: Math.floor(at.now + delay * jitter(at.draw)) };
    }
  }
}

/** 0.8 to 1.2: what failed together does not come back together. */
function jitter(draw: number): number {
  return 0.8 + 0.4 * draw;
}

function retryAfter(askedMs: number | undefined): number {
  if (askedMs === undefined || !Number.isFinite(askedMs)) return DEFAULT_RETRY_AFTER_MS;
  return Math.min(Math.max(askedMs, RETRY_AFTER_BOUNDS_MS.least), RETRY_AFTER_BOUNDS_MS.most);
}

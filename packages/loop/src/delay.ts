/** How long a loop waits: pure rules in milliseconds. */

/** The longest a system timer can wait (24.8 days); a longer wait is made of several. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** The most a tick that is owed work waits after a failure. */
export const LONGEST_RETRY_MS = 5_000;

/** Interval after `idleLevel` ticks in a row that found nothing: doubled each time, up to the ceiling. A ceiling at or below the interval is a fixed loop. */
export function idleDelay(idleLevel: number, { intervalMs, maxIdleIntervalMs }: { intervalMs: number; maxIdleIntervalMs: number }): number {
  return Math.max(intervalMs, Math.min(intervalMs * 2 ** idleLevel, maxIdleIntervalMs));
}

/** Wait after the `failures`th failure in a row of ticks that were owed work: doubling from the interval, at most 5 s. */
export function retryDelay(failures: number, { intervalMs }: { intervalMs: number }): number {
  return Math.min(intervalMs * 2 ** (failures - 1), LONGEST_RETRY_MS);
}

import type { Random } from '@bellhop/kernel';

/** Milliseconds before the second and the third attempt. */
const WAITS_MS = [1_000, 5_000] as const;
const JITTER = 0.2;

/** POSTs of one delivery at most. */
export const ATTEMPTS_MAX = WAITS_MS.length + 1;

/**
 * Milliseconds between an attempt and the next, whole, within 20 % of 1 s and 5 s: hooks of one receiver do not come back all at once.
 *
 * @param attempts made so far: 1 or 2.
 */
export function retryWaitMs(attempts: number, random: Random): number {
  const wait = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] ?? WAITS_MS[0];
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
}

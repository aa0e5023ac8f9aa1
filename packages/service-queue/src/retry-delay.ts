import type { JobBackoff } from '@bellhop/contracts';
import type { Random } from '@bellhop/kernel';

/** Doublings that bring 1 ms past the longest wait there can be; more would only leave the safe integers. */
const DOUBLINGS_MAX = 40;

/**
 * Milliseconds a failed job waits for its next attempt: whole, from 0 to `maxDelayMs`.
 *
 * @param attempts begun so far, the failed one included: 1 or more.
 * @param random drawn once, and only with jitter.
 */
export function retryDelayMs({ type, delayMs, maxDelayMs, jitter }: JobBackoff, attempts: number, random: Random): number {
  const doublings = type === 'exponential' ? Math.min(Math.max(attempts - 1, 0), DOUBLINGS_MAX) : 0;
  const wait = Math.min(delayMs * 2 ** doublings, maxDelayMs);
  return jitter === 'full' ? Math.floor(random() * (wait + 1)) : wait;
}

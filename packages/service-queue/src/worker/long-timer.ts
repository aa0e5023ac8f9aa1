import type { Clock, Timer } from '@bellhop/kernel';

/** The longest a clock's timer can wait (24.8 days). */
const LONGEST_MS = 2_147_483_647;

/** A timer of any length: made of several where one cannot wait so long. */
export function longTimer(clock: Clock, fn: () => void, delayMs: number): Timer {
  let timer: Timer;
  const arm = (leftMs: number): void => {
    timer = clock.setTimeout(() => (leftMs > LONGEST_MS ? arm(leftMs - LONGEST_MS) : fn()), Math.min(leftMs, LONGEST_MS));
  };
  arm(delayMs);
  return { cancel: () => timer.cancel() };
}

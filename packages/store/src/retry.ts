import { type Clock, type Random, systemClock, systemRandom } from '@bellhop/kernel';
import { type FaultKind, faultKind } from './store-faults.js';

export interface RetryOptions {
  /** The faults worth another try. */
  readonly on: readonly FaultKind[];
  /** Milliseconds after which the last error is thrown. */
  readonly budgetMs: number;
  /** Waiting for a lock is real time, whatever clock the deployment keeps; tests pass their own. */
  readonly clock?: Clock;
  readonly random?: Random;
}

const FIRST_DELAY_MS = 1;
const LONGEST_DELAY_MS = 50;

/**
 * Runs `attempt` again while it fails with one of the faults, within the budget. Waits 1, 2, 4 … 50 ms (jittered between half and whole) on a
 * timer, so that a lock held by another process never blocks the event loop.
 */
export async function withRetry<T>(options: RetryOptions, attempt: () => T | Promise<T>): Promise<T> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const startedAt = clock.monotonic();
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!options.on.includes(faultKind(error)) || clock.monotonic() - startedAt >= options.budgetMs) throw error;
    }
    await new Promise<void>((resolve) => clock.setTimeout(resolve, delayMs * (0.5 + random() / 2)));
  }
}

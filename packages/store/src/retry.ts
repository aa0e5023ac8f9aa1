// Not the kernel's clock for the pause: its timers never keep the process alive, and a script that waits for a lock would end in mid-wait.
import { setTimeout } from 'node:timers/promises';
import { type Clock, type Random, systemClock, systemRandom } from '@bellhop/kernel';
import { type FaultKind, faultKind } from './store-faults.js';

export interface RetryOptions {
  /** The faults worth another try. */
  readonly on: readonly FaultKind[];
  /** Milliseconds after which the first error is thrown. 0 tries once. */
  readonly budgetMs: number;
  /** Waiting for a lock is real time, whatever clock the deployment keeps; tests pass their own. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  readonly sleep?: (delayMs: number) => Promise<void>;
  readonly random?: Random;
}

/** For what may be sent twice without harm: a lost connection is replaced, within 2 s. */
export const RECONNECTING: RetryOptions = { on: ['connection', 'expired'], budgetMs: 2_000 };

const FIRST_DELAY_MS = 1;
const LONGEST_DELAY_MS = 50;

/** Waits in real time, keeping the process alive. */
export function pause(delayMs: number): Promise<void> {
  return setTimeout(delayMs);
}

/**
 * Runs `attempt` again while it fails with one of the faults, within the budget. Waits 1, 2, 4 … 50 ms (jittered between half and whole) on a
 * timer, so that a lock held by another process never blocks the event loop.
 *
 * @throws the first error once the budget is spent: it is the one that says what began; and at once, any that is none of the faults.
 */
export async function withRetry<T>(options: RetryOptions, attempt: () => T | Promise<T>): Promise<T> {
  const { on, budgetMs, clock = systemClock, sleep = pause, random = systemRandom } = options;
  const startedAt = clock.monotonic();
  let first: { readonly error: unknown } | undefined;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!on.includes(faultKind(error))) throw error;
      first ??= { error };
      if (clock.monotonic() - startedAt >= budgetMs) throw first.error;
    }
    await sleep(delayMs * (0.5 + random() / 2));
  }
}

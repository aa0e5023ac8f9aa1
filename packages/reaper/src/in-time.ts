import type { Clock } from '@bellhop/kernel';

/** What `work` gives, or undefined when it takes longer than `limitMs`. It goes on then, and what becomes of it is ignored. */
export function inTime<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => resolve(undefined), limitMs);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

import type { Clock } from './clock.js';

/** What {@link withinDeadline} answers when time ran out: a value, so that nobody has to recognise a timeout by an error's text. */
export const LATE = Symbol('late');

/**
 * Waits for `work`, but no longer than `limitMs` on `clock`. The work itself goes on (only its abort signal can end it); how it ends after
 * the deadline goes to `onLateError`, never to an unhandled rejection.
 *
 * @throws what `work` rejects with in time.
 */
export function withinDeadline<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  onLateError: (error: unknown) => void = () => {},
): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = clock.setTimeout(() => {
      late = true;
      resolve(LATE);
    }, limitMs);
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        if (late) onLateError(error);
        else reject(error);
      },
    );
  });
}

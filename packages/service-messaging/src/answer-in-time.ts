import type { Clock } from '@bellhop/kernel';

/** What a channel may take to answer a question: longer than an honest probe, shorter than the patience of who waits for the emit. */
export const ANSWER_LIMIT_MS = 2_000;

/** What {@link answerInTime} gives when no answer came: a value, so that nobody has to recognise a timeout by an error's text. */
export const NO_ANSWER = Symbol('no answer');

/**
 * Asks a channel something and waits at most {@link ANSWER_LIMIT_MS} for the answer, a promise of one, or any other thenable. What comes
 * after that is ignored, a rejection included.
 *
 * @throws what `ask` throws or rejects with in time.
 */
export async function answerInTime<T>(clock: Clock, ask: () => T | PromiseLike<T>): Promise<T | typeof NO_ANSWER> {
  let expire = (): void => {};
  const expired = new Promise<typeof NO_ANSWER>((resolve) => {
    expire = () => resolve(NO_ANSWER);
  });
  const timer = clock.setTimeout(expire, ANSWER_LIMIT_MS);
  try {
    return await Promise.race([ask(), expired]);
  } finally {
    timer.cancel();
  }
}

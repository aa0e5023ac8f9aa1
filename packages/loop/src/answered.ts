import type { Clock } from '@bellhop/kernel';

/**
 * The answer to a call to the store, or an error when there is none within `ms`: a call that hangs must not hold up those that wait their
 * turn behind it. The call itself goes on, and what becomes of it is ignored.
 */
export function answered<T>(clock: Clock, call: Promise<T>, { what, ms }: { readonly what: string; readonly ms: number }): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.setTimeout(() => reject(new Error(`${what} was not answered within ${ms} ms.`)), ms);
    call.then(resolve, reject).finally(() => timer.cancel());
  });
}

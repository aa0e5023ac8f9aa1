// Hands out the rows of a long read in slices, so that everything else of the process has its turn between them.
// Must never begin a row after an abort, and never leave an iteration open that it began.
import { type Clock, systemClock } from '@bellhop/kernel';

/** Rows of one slice at most. */
export const ROWS_PER_SLICE = 500;
/** Milliseconds of one slice, about: it ends after the row in which they are over. */
const SLICE_MS = 10;

export interface SliceOptions {
  /** Aborted: no row more, and the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long a slice keeps the event loop is real time, whatever clock the deployment keeps; tests pass their own. */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/**
 * Calls `each` for every row. The event loop has its turn before the first slice, too: whoever got the rows has used some of this turn.
 *
 * @returns the number of rows.
 * @throws what `each` or the iteration throws, and the signal's reason.
 */
export async function inSlices<Row>(
  rows: Iterable<Row>,
  each: (row: Row) => void,
  { signal, clock = systemClock }: SliceOptions = {},
): Promise<number> {
  let count = 0;
  let sliceEndsAt = 0;
  const nextTurn = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    sliceEndsAt = clock.monotonic() + SLICE_MS;
  };
  await nextTurn();
  for (const row of rows) {
    each(row);
    count += 1;
    if (count % ROWS_PER_SLICE === 0 || clock.monotonic() >= sliceEndsAt) await nextTurn();
    else signal?.throwIfAborted();
  }
  return count;
}

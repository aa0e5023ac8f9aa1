// The run of a duty that deletes what is over, in pieces that no database notices. Must never hold the event loop for the whole of it.

/** Rows of one statement. At 1 000 a sweep holds a SQLite database for some 10 ms. */
export const SWEEP_BATCH = 1_000;
/** Statements of one run: 100 000 rows per tick of 30 s outpace what one database is given to do. */
export const SWEEP_BATCHES = 100;

export interface BatchLimits {
  /** Rows that `sweep` takes at most: fewer mean that it may have been the last. A whole number from 1, default {@link SWEEP_BATCH}. */
  readonly batch?: number;
  /** Sweeps of one run at most. A whole number from 1, default {@link SWEEP_BATCHES}. */
  readonly batches?: number;
}

/**
 * Sweeps until nothing is left, the run has had its share, or the signal aborts; in between everything else of the process has its turn.
 *
 * @param sweep takes one batch. @returns rows.
 * @param isMore asked after a sweep of less than a batch: it may have found another process at the rows, and there is more all the same.
 * @returns rows in all. What is more than one run may take is left to the next tick.
 * @throws what `sweep` and `isMore` throw; RangeError for a limit out of its bounds.
 */
export async function inBatches(
  signal: AbortSignal,
  sweep: () => Promise<number>,
  isMore: () => Promise<boolean>,
  { batch = SWEEP_BATCH, batches = SWEEP_BATCHES }: BatchLimits = {},
): Promise<number> {
  for (const [name, limit] of Object.entries({ batch, batches })) {
    if (!(Number.isSafeInteger(limit) && limit >= 1))
      throw new RangeError(`${name}: ${String(limit)} given; a whole number from 1 is allowed.`);
  }
  let swept = 0;
  for (let sweeps = 0; sweeps < batches && !signal.aborted; sweeps += 1) {
    const some = await sweep();
    swept += some;
    if (some < batch && !(await isMore())) break;
    // An embedded database answers within the turn: without this the whole run would be one.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return swept;
}

// Which due pairs a sweep charges when there are more than it may: after an outage hundreds of queues come due together, and the wakes of all at once
// would run into the limits that stand against floods. Pure.

/** Charges of one sweep at most. */
export const MAX_CHARGES = 200;

export interface DuePair {
  readonly endpointId: string;
  readonly queue: string;
  /** Since when it could have been nudged, epoch milliseconds. */
  readonly dueSince: number;
}

/**
 * The pairs that have been due longest, round robin over their endpoints: every endpoint's first comes before any endpoint's second. Not those with the
 * oldest todo: whose wakes no receiver takes are due again every few minutes, and enough of them would keep all places from whoever is younger.
 *
 * @returns at most `most`, in the order in which they were chosen.
 */
export function chooseFairly(due: readonly DuePair[], most: number = MAX_CHARGES): DuePair[] {
  const longestDueFirst = due.toSorted(byWait);
  const taken = new Map<string, number>();
  const ranked = longestDueFirst.map((pair) => {
    const rank = taken.get(pair.endpointId) ?? 0;
    taken.set(pair.endpointId, rank + 1);
    return { pair, rank };
  });
  // The sort is stable: within a round who was due first stays first.
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, most)
    .map(({ pair }) => pair);
}

function byWait(one: DuePair, other: DuePair): number {
  return one.dueSince - other.dueSince || byText(one.endpointId, other.endpointId) || byText(one.queue, other.queue);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

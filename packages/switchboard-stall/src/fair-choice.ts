// Which due pairs a sweep charges when there are more than it may: after an outage hundreds of queues come due together, and the wakes of all at once
// would run into the limits that stand against floods. Pure.

/** Charges of one sweep at most. */
export const MAX_CHARGES = 200;

export interface DuePair {
  readonly endpointId: string;
  readonly queue: string;
  /** Since when its oldest todo is pending, epoch milliseconds. */
  readonly oldest: number;
}

/**
 * The pairs that have waited longest, round robin over their endpoints: every endpoint's oldest comes before any endpoint's second.
 *
 * @returns at most `most`, in the order in which they were chosen.
 */
export function chooseFairly(due: readonly DuePair[], most: number = MAX_CHARGES): DuePair[] {
  const oldestFirst = due.toSorted(byAge);
  const taken = new Map<string, number>();
  const ranked = oldestFirst.map((pair) => {
    const rank = taken.get(pair.endpointId) ?? 0;
    taken.set(pair.endpointId, rank + 1);
    return { pair, rank };
  });
  // The sort is stable: within a round the oldest stays first.
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, most)
    .map(({ pair }) => pair);
}

function byAge(one: DuePair, other: DuePair): number {
  return one.oldest - other.oldest || byText(one.endpointId, other.endpointId) || byText(one.queue, other.queue);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

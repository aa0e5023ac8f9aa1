import { OrderedSet } from './ordered-set.js';

export interface TimeEntry {
  readonly time: number;
  readonly id: string;
}

/** Ids in order of a time, then of the id, as an index on (time, id) has them. */
export class TimeIndex {
  readonly #entries = new OrderedSet<TimeEntry>(byTime);

  get size(): number {
    return this.#entries.size;
  }

  add(time: number, id: string): void {
    this.#entries.add({ time, id });
  }

  /** Does nothing when the pair is not there. */
  remove(time: number, id: string): void {
    this.#entries.delete({ time, id });
  }

  first(): TimeEntry | undefined {
    return this.#entries.first();
  }

  /** The earliest time strictly after `time`. */
  firstTimeAfter(time: number): number | undefined {
    return this.#entries.first((entry) => entry.time <= time)?.time;
  }

  /** Entries at or before `time`, in order. The index must not change while they are read. */
  *upTo(time: number): Generator<TimeEntry> {
    for (const entry of this.#entries.values()) {
      if (entry.time > time) return;
      yield entry;
    }
  }
}

/** Earliest first, then by id. */
export function byTime(left: TimeEntry, right: TimeEntry): number {
  return left.time - right.time || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
}

export interface TimeEntry {
  readonly time: number;
  readonly id: string;
}

/**
 * Ids in order of a time, then of the id: the memory stores' stand-in for a database index. Look-ups are binary searches; an insertion at
 * the end, which is what a row due at once is, moves nothing.
 */
export class TimeIndex {
  readonly #entries: TimeEntry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  add(time: number, id: string): void {
    this.#entries.splice(this.#position(time, id), 0, { time, id });
  }

  /** Does nothing when the pair is not there. */
  remove(time: number, id: string): void {
    const at = this.#position(time, id);
    const entry = this.#entries[at];
    if (entry?.time === time && entry.id === id) this.#entries.splice(at, 1);
  }

  first(): TimeEntry | undefined {
    return this.#entries[0];
  }

  /** The earliest time strictly after `time`. */
  firstTimeAfter(time: number): number | undefined {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as TimeEntry).time <= time) low = middle + 1;
      else high = middle;
    }
    return this.#entries[low]?.time;
  }

  /** Entries at or before `time`, in order. The index must not change while they are read. */
  *upTo(time: number): Generator<TimeEntry> {
    for (const entry of this.#entries) {
      if (entry.time > time) return;
      yield entry;
    }
  }

  /** Where the pair is, or would be put. */
  #position(time: number, id: string): number {
    let low = 0;
    let high = this.#entries.length;
    const last = this.#entries[high - 1];
    if (!last || last.time < time || (last.time === time && last.id < id)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle] as TimeEntry;
      if (entry.time < time || (entry.time === time && entry.id < id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

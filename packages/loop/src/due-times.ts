/** Due times kept apart at most. Beyond it the latest is dropped: the interval finds its work. */
const LIMIT = 1_000;

/**
 * The due times a loop knows of, epoch milliseconds, earliest first. All of them, not only the earliest: without a survey to name the
 * next one, the second would be forgotten when the first has come.
 */
export class DueTimes {
  private times: number[] = [];

  /** `Infinity` when there is none. */
  get first(): number {
    return this.times[0] ?? Number.POSITIVE_INFINITY;
  }

  add(at: number): void {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.times[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    if (this.times[low] === at) return;
    this.times.splice(low, 0, at);
    if (this.times.length > LIMIT) this.times.pop();
  }

  /** Forgets those that have come. */
  dropUpTo(now: number): void {
    const come = this.times.findIndex((at) => at > now);
    this.times.splice(0, come === -1 ? this.times.length : come);
  }

  /** Takes over what `other` holds and leaves it empty. */
  takeFrom(other: DueTimes): void {
    for (const at of other.times) this.add(at);
    other.clear();
  }

  clear(): void {
    this.times = [];
  }
}

/** A job may wait so long for a slot in the process that claimed it. Longer, and another process could have begun it. */
const WAIT_MS = 100;
/** Units claimed ahead at most. */
const LIMIT = 200;
/** How much a run moves the mean. */
const WEIGHT = 0.2;

/**
 * How many claims a subscription may hold beyond its free slots. What is done in a millisecond is claimed by the hundred, as a statement for each
 * would cost more than the work; what takes long is never claimed before it can begin.
 */
export class Prefetch {
  private meanMs: number | null = null;

  constructor(private readonly concurrency: number) {}

  /** A run took so long. */
  ran(durationMs: number): void {
    this.meanMs = this.meanMs === null ? durationMs : this.meanMs + (durationMs - this.meanMs) * WEIGHT;
  }

  /** None before the first run has ended. */
  get units(): number {
    if (this.meanMs === null) return 0;
    return Math.min(LIMIT, Math.floor((this.concurrency * WAIT_MS) / Math.max(this.meanMs, 0.01)));
  }
}

/** The slots work runs in: so many at once, and in a limited lane so many of those. */
export class Slots {
  private readonly byLane = new Map<string, number>();
  running = 0;

  constructor(
    private readonly concurrency: number,
    private readonly laneLimits: ReadonlyMap<string, number>,
  ) {}

  get free(): number {
    return Math.max(0, this.concurrency - this.running);
  }

  /** Whether work of the lane may start now. */
  isFreeFor(lane: string | null): boolean {
    return this.free > 0 && (lane === null || this.runningIn(lane) < this.limitOf(lane));
  }

  occupy(lane: string | null): void {
    this.count(lane, 1);
  }

  vacate(lane: string | null): void {
    this.count(lane, -1);
  }

  /** Limited lanes that run, or have waiting, as much as they may run. */
  saturated(waiting: Iterable<{ readonly lane: string | null }>): string[] {
    const claims = new Map(this.byLane);
    for (const { lane } of waiting) if (lane !== null) claims.set(lane, (claims.get(lane) ?? 0) + 1);
    return [...this.laneLimits].filter(([lane, limit]) => (claims.get(lane) ?? 0) >= limit).map(([lane]) => lane);
  }

  private limitOf(lane: string): number {
    return this.laneLimits.get(lane) ?? Number.POSITIVE_INFINITY;
  }

  private runningIn(lane: string): number {
    return this.byLane.get(lane) ?? 0;
  }

  private count(lane: string | null, change: 1 | -1): void {
    this.running += change;
    if (lane !== null && this.laneLimits.has(lane)) this.byLane.set(lane, this.runningIn(lane) + change);
  }
}

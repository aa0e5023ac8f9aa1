import type { SlotShare } from './shared-slots.js';

/** The slots work runs in: so many at once, in a limited lane so many of those, and of those shared with other pools as many as there are. */
export class Slots {
  private readonly byLane = new Map<string, number>();
  running = 0;

  constructor(
    private readonly concurrency: number,
    private readonly laneLimits: ReadonlyMap<string, number>,
    private readonly share?: SlotShare,
  ) {}

  get free(): number {
    return Math.min(this.own, this.share?.free ?? Number.POSITIVE_INFINITY);
  }

  /** Other pools hold what this one could use. */
  get isCrowded(): boolean {
    return this.share !== undefined && this.share.free < this.own;
  }

  private get own(): number {
    return Math.max(0, this.concurrency - this.running);
  }

  /** Whether work of the lane may start now. */
  isFreeFor(lane: string | null): boolean {
    return this.free > 0 && (lane === null || this.runningIn(lane) < this.limitOf(lane));
  }

  occupy(lane: string | null): void {
    this.count(lane, 1);
    this.share?.occupy();
  }

  vacate(lane: string | null): void {
    this.count(lane, -1);
    this.share?.vacate();
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

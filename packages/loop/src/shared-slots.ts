import { countInBounds } from './bounds.js';

/** One pool's part in {@link SharedSlots}. */
export interface SlotShare {
  /** Slots it may take at this moment. */
  readonly free: number;
  occupy(): void;
  vacate(): void;
  /** It found too few: `onFree` is called once there may be more, those that waited longer first. */
  wait(): void;
  /** It takes no more slots, and none is kept back for it, until it comes back. What runs goes on. */
  leave(): void;
  comeBack(): void;
}

/**
 * Slots that several pools run in beside their own limits: so many at once, over all of them.
 *
 * Invariants: whoever runs nothing has a slot kept back for it, up to half of all, so that work that takes for ever in one pool does not stop
 * another; a slot that comes free goes to whoever has waited for one longest.
 */
export class SharedSlots {
  private readonly limit: number;
  private readonly waiting = new Set<Share>();
  running = 0;
  /** Shares that run nothing. */
  idle = 0;

  /** @param limit 1 to 10 000. @throws RangeError. */
  constructor(limit: number) {
    this.limit = countInBounds('limit', limit, 1, 10_000);
  }

  /** @param onFree called after `wait`, once there may be a slot. */
  join(onFree: () => void): SlotShare {
    return new Share(this, onFree);
  }

  /** Slots that nobody has taken. */
  get free(): number {
    return this.limit - this.running;
  }

  /** Slots that a pool may take. */
  freeFor(share: Share): number {
    const keptBack = share.running === 0 ? 0 : Math.min(this.idle, Math.floor(this.limit / 2));
    return Math.max(0, this.free - keptBack);
  }

  wait(share: Share): void {
    this.waiting.add(share);
  }

  stopWaiting(share: Share): void {
    this.waiting.delete(share);
  }

  /** There may be a slot for those that wait. One for which there is none keeps its place: to be told of nothing costs it a look at its store. */
  changed(): void {
    for (const share of [...this.waiting]) {
      if (this.free === 0) return;
      if (this.freeFor(share) === 0 || !this.waiting.delete(share)) continue;
      share.onFree();
    }
  }
}

class Share implements SlotShare {
  running = 0;
  private joined = false;

  constructor(
    private readonly slots: SharedSlots,
    readonly onFree: () => void,
  ) {
    this.comeBack();
  }

  get free(): number {
    return this.slots.freeFor(this);
  }

  occupy(): void {
    this.count(1);
  }

  vacate(): void {
    this.count(-1);
    this.slots.changed();
  }

  wait(): void {
    this.slots.wait(this);
  }

  leave(): void {
    this.slots.stopWaiting(this);
    if (this.joined && this.running === 0) this.slots.idle -= 1;
    this.joined = false;
    this.slots.changed();
  }

  comeBack(): void {
    if (!this.joined && this.running === 0) this.slots.idle += 1;
    this.joined = true;
  }

  private count(change: 1 | -1): void {
    const wasIdle = this.running === 0;
    this.running += change;
    this.slots.running += change;
    if (this.joined && wasIdle !== (this.running === 0)) this.slots.idle -= change;
  }
}

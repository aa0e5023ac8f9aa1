import type { Random } from '@bellhop/kernel';
import { idleDelay, retryDelay } from './delay.js';
import { DueTimes } from './due-times.js';
import type { Settings, TickHint, TickResult } from './loop-options.js';

/** Two clocks meet in a loop and must not be mixed: due times are wall time, everything else is monotonic time. */
export interface Instant {
  readonly wall: number;
  readonly monotonic: number;
}

/** What a tick was handed when it began. */
export interface Taken {
  readonly at: Instant;
  readonly hint: TickHint;
  /** Work was owed to it: a failure must be made good. */
  readonly work: boolean;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * What a loop owes, and so when it ticks next. No timers here: state and arithmetic only.
 *
 * Invariant: what is owed is handed to exactly one tick, the next to begin, and comes back as a retry if that tick fails.
 */
export class Owed {
  private startOwed = false;
  private wakeOwed = false;
  private moreOwed = false;
  private full = false;
  private slotFreed = false;
  /** Due times known without those announced since the last tick began. */
  private readonly known = new DueTimes();
  /** Announced since the last tick began: its survey may not have seen their work, so it may not replace them. */
  private readonly announced = new DueTimes();
  private retryAt = NEVER;
  private intervalAt = NEVER;
  private lastWokenAt = Number.NEGATIVE_INFINITY;
  private failures = 0;
  /** Ticks in a row that found nothing. */
  idleLevel = 0;

  constructor(
    private readonly settings: Settings,
    private readonly random: Random | undefined,
  ) {}

  /** Forgets everything, and owes a first tick when `start`. */
  reset({ start }: { readonly start: boolean }): void {
    this.startOwed = start;
    this.wakeOwed = this.moreOwed = this.full = this.slotFreed = false;
    this.known.clear();
    this.announced.clear();
    this.retryAt = this.intervalAt = NEVER;
    this.failures = this.idleLevel = 0;
  }

  /** @returns false when a wake is owed already. */
  wake(): boolean {
    const first = !this.wakeOwed;
    this.wakeOwed = true;
    return first;
  }

  due(at: number): void {
    this.announced.add(at);
  }

  slotCameFree(): void {
    this.slotFreed = true;
  }

  /** Milliseconds until the next tick; 0 or less is now. */
  untilNextTick(now: Instant): number {
    if (this.startOwed || this.moreOwed || this.refillOwed) return 0;
    const wakeAt = this.wakeOwed ? this.lastWokenAt + this.settings.minWakeSpacingMs : NEVER;
    return Math.min(Math.min(this.intervalAt, wakeAt, this.retryAt) - now.monotonic, this.dueAt - now.wall);
  }

  /** Hands over to the tick that begins. */
  take(at: Instant, { manual }: { readonly manual: boolean }): Taken {
    const due = this.dueAt <= at.wall;
    const hint = manual ? 'manual' : this.hint(due);
    const work = this.wakeOwed || this.moreOwed || this.refillOwed || this.retryAt !== NEVER || due;
    if (this.wakeOwed) this.idleLevel = 0;
    if (hint === 'wake') this.lastWokenAt = at.monotonic;
    this.known.takeFrom(this.announced);
    this.known.dropUpTo(at.wall);
    this.startOwed = this.wakeOwed = this.moreOwed = this.slotFreed = false;
    return { at, hint, work };
  }

  /** Takes the outcome of the tick; `result` is null when it threw. */
  settle({ at, work }: Taken, result: TickResult | null, failed: boolean): void {
    const claimed = result?.claimed ?? 0;
    const nextDueAt = result?.nextDueAt;
    // A next due time that had passed when the tick began is work it saw and could not claim.
    const stuck = typeof nextDueAt === 'number' && nextDueAt <= at.wall;
    // A survey names the first due time only: it says that there is none before it, and nothing of those after it.
    if (nextDueAt !== undefined) this.known.dropUpTo(nextDueAt ?? NEVER);
    if (typeof nextDueAt === 'number' && !stuck) this.known.add(nextDueAt);

    const contended = !failed && claimed === 0 && (result?.contended === true || stuck);
    if (!failed && claimed > 0) this.idleLevel = 0;
    else if (!contended) this.idleLevel += 1;
    const delay = contended ? this.settings.intervalMs : idleDelay(this.idleLevel, this.settings);
    this.intervalAt = at.monotonic + delay * (1 - this.settings.jitter * (this.random?.() ?? 0));

    this.moreOwed = result?.more === true && claimed > 0;
    // A tick that failed need not know of work that was left for want of room: it is still there.
    this.full = result?.full === true || (failed && this.full);
    if (!failed) {
      this.failures = 0;
      this.retryAt = NEVER;
    } else if (work) {
      this.failures += 1;
      this.retryAt = at.monotonic + retryDelay(this.failures, this.settings);
    }
  }

  private get dueAt(): number {
    return Math.min(this.known.first, this.announced.first);
  }

  private get refillOwed(): boolean {
    return this.full && this.slotFreed;
  }

  /**
   * A wake says "claim first", so it yields to every reason that needs a survey: a due time may be that of work which a claim in the wake's
   * haste does not reach.
   */
  private hint(due: boolean): TickHint {
    if (this.startOwed) return 'start';
    if (this.retryAt !== NEVER) return 'retry';
    if (due) return 'due';
    if (this.wakeOwed) return 'wake';
    if (this.moreOwed) return 'more';
    return this.refillOwed ? 'refill' : 'timer';
  }
}

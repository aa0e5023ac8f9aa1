import type { Clock, Timer } from '@bellhop/kernel';

/**
 * A clock that is moved by hand, for tests and benchmarks that live through hours in milliseconds.
 *
 * Timers are kept on the monotonic time, as the system's are: a jump of the wall clock neither fires nor delays one. They fire in order of
 * their time, then of their arming, one at a time; between two of them whatever they set off is given the chance to finish, and time
 * stands still meanwhile.
 */
export interface ManualClockOptions {
  /** Wall time at the start, epoch milliseconds. Default 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /** Monotonic time at the start. Default 0. */
  readonly monotonic?: number;
}

export interface RunOptions {
  /**
   * Awaited before the first timer and after each that fires, once promises and immediates had their turn. Give what tells that the work
   * a timer set off is done (`() => loop.settled()`) when that work is really asynchronous, as a database is. It must not wait for this clock.
   */
  readonly settle?: () => unknown;
}

interface ArmedTimer extends Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

// Taken at load, so that a test may fake the global timers and still move this clock.
const nextTurn = globalThis.setImmediate;

/** Turns of the event loop that let what a timer set off run through promises, immediates and a chain of follow-up ticks. */
const SETTLE_TURNS = 10;
/** Timers at one instant before the test is told that it would never end. */
const SAME_INSTANT_LIMIT = 100_000;

export class ManualClock implements Clock {
  readonly manual = true;
  private wallMs: number;
  private monotonicMs: number;
  private armed = new Set<ArmedTimer>();
  private order = 0;
  private moving = false;

  constructor(options: ManualClockOptions = {}) {
    this.wallMs = options.now ?? Date.UTC(2026, 0, 1);
    this.monotonicMs = options.monotonic ?? 0;
  }

  /** Whole milliseconds, as the system's, also where a timer fired between two. */
  now(): number {
    return Math.floor(this.wallMs);
  }

  monotonic(): number {
    return this.monotonicMs;
  }

  setTimeout(fn: () => void, delayMs: number): Timer {
    if (!(delayMs >= 0 && delayMs <= 2_147_483_647)) {
      throw new RangeError(`setTimeout(fn, ${delayMs}): a delay is 0 to 2147483647 ms; chunk a longer wait.`);
    }
    const timer: ArmedTimer = {
      at: this.monotonicMs + delayMs,
      order: this.order++,
      fn,
      cancel: () => void this.armed.delete(timer),
    };
    this.armed.add(timer);
    return timer;
  }

  /** Monotonic time of the timer that fires next; null when none is armed. */
  nextTimerAt(): number | null {
    return this.first()?.at ?? null;
  }

  /** Moves both clocks by `ms`, firing what comes due on the way, in order, and letting it settle. `advance(0)` fires what is due now. */
  advance(ms: number): Promise<void> {
    return this.runFor(ms);
  }

  /** As {@link advance}, with `settle` to wait for work that no number of event loop turns can be trusted to finish. */
  async runFor(ms: number, options: RunOptions = {}): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`runFor(${ms}): time is moved forward by 0 ms or more; use jumpWall to set the wall clock back.`);
    if (this.moving) throw new Error('This clock is being moved already: await one advance, runFor or sleep before the next.');
    this.moving = true;
    try {
      const target = this.monotonicMs + ms;
      await this.settle(options);
      let sameInstant = 0;
      for (let timer = this.first(); timer && timer.at <= target; timer = this.first()) {
        sameInstant = timer.at > this.monotonicMs ? 0 : sameInstant + 1;
        if (sameInstant > SAME_INSTANT_LIMIT)
          throw new Error(`${sameInstant} timers fired at one instant: something re-arms without delay.`);
        this.moveTo(timer.at);
        this.armed.delete(timer);
        timer.fn();
        await this.settle(options);
      }
      this.moveTo(target);
    } finally {
      this.moving = false;
    }
  }

  /** Sets the wall clock by `ms`, either way, as an operator or a time server does. The monotonic clock and the timers do not notice. */
  jumpWall(ms: number): void {
    this.wallMs += ms;
  }

  /**
   * A machine that was suspended for `ms`: the wall clock moved on and no timer fired. Those that are overdue on waking fire once each.
   *
   * @param options.monotonicMs how much of it the monotonic clock counted. Default 0, as on Linux and macOS; `ms` is a stopped process, or Windows.
   */
  async sleep(ms: number, options: RunOptions & { readonly monotonicMs?: number } = {}): Promise<void> {
    this.wallMs += ms;
    this.monotonicMs += options.monotonicMs ?? 0;
    await this.runFor(0, options);
  }

  private first(): ArmedTimer | undefined {
    let first: ArmedTimer | undefined;
    for (const timer of this.armed) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }

  private moveTo(at: number): void {
    const ms = Math.max(0, at - this.monotonicMs);
    this.monotonicMs += ms;
    this.wallMs += ms;
  }

  private async settle(options: RunOptions): Promise<void> {
    for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await new Promise<void>((resolve) => nextTurn(resolve));
    await options.settle?.();
  }
}

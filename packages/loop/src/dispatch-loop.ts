import type { Clock, Timer } from '@bellhop/kernel';
import { checkedDeadline } from './bounds.js';
import { type Deferred, deferred } from './deferred.js';
import { LONGEST_TIMER_MS } from './delay.js';
import { isolated } from './isolated.js';
import { checkedSettings, type DispatchLoopOptions, type TickResult } from './loop-options.js';
import { type Instant, Owed } from './owed.js';

export interface LoopCounters {
  readonly ticks: number;
  /** Ticks in a row that found nothing. */
  readonly idleLevel: number;
  readonly wakes: number;
  /** Wakes that the tick owed to an earlier one answers too. */
  readonly coalescedWakes: number;
  /** Ticks that threw, and parts that failed. */
  readonly errors: number;
  /** Claim time − due time in the last tick that claimed, and the most there was; null before the first. */
  readonly lateness: { readonly lastMs: number; readonly maxMs: number } | null;
}

/**
 * Runs `tick` when there is reason to: announced work at once, due work at its due time, everything else at an interval that backs off
 * while nothing is found.
 *
 * Invariants: never two ticks at once, the public `tick()` included; a wake or a due time stays owed until a tick that began after it has
 * succeeded, or `stop()`; no result and no error ends the loop; it keeps no process alive.
 */
export class DispatchLoop {
  private readonly clock: Clock;
  private readonly owed: Owed;
  private running = false;
  /** Set while a tick runs; `stop()` aborts it. */
  private ticking: AbortController | null = null;
  private timer: Timer | null = null;
  private launch: NodeJS.Immediate | null = null;
  private manual: Deferred<TickResult> | null = null;
  private readonly onTickEnd: (() => void)[] = [];
  private readonly onQuiet: (() => void)[] = [];
  private readonly counts = { ticks: 0, wakes: 0, coalescedWakes: 0, errors: 0 };
  private lateness: LoopCounters['lateness'] = null;

  /** @throws RangeError naming the option that is out of its bounds. */
  constructor(private readonly options: DispatchLoopOptions) {
    this.clock = options.clock;
    this.owed = new Owed(checkedSettings(options), options.random);
  }

  /** Ticks at once, then whenever there is reason to. Does nothing on a loop that runs; restarts one that was stopped. */
  start(): void {
    if (this.running) return;
    this.running = true;
    this.owed.reset({ start: true });
    this.arm();
  }

  /** Work was committed: ticks at once and drops the idle backoff. Any number of wakes during a tick make one follow-up. Does nothing unless running. */
  wake(): void {
    if (!this.running) return;
    this.counts.wakes += 1;
    if (!this.owed.wake()) this.counts.coalescedWakes += 1;
    this.arm();
  }

  /**
   * Work was committed that comes due at `at`: ticks then, if nothing asks for a tick sooner. Does nothing unless running.
   *
   * @param at epoch milliseconds.
   * @throws RangeError when it is not finite.
   */
  due(at: number): void {
    if (!Number.isFinite(at)) throw new RangeError(`due(${String(at)}): epoch milliseconds are needed.`);
    if (!this.running) return;
    this.owed.due(at);
    this.arm();
  }

  /** A slot came free: ticks at once if the last tick reported `full`. */
  refill(): void {
    this.owed.slotCameFree();
    this.arm();
  }

  /**
   * Runs one tick, after the running one if there is one; calls that wait share one. Works whether the loop runs or not.
   *
   * @returns what it found; `{ claimed: 0 }` when `stop()` came first.
   * @throws what the tick threw. `onTickError` hears of it too.
   */
  tick(): Promise<TickResult> {
    this.manual ??= deferred<TickResult>();
    const { promise } = this.manual;
    if (!this.ticking) void this.run();
    return promise;
  }

  /**
   * Claims no more from this instant on: aborts the running tick's signal, forgets timer, wakes and due times, then waits for that tick.
   *
   * @param options.deadlineMs the most it waits: 0 to 2 147 483 647, default 10 000. A tick that outlives it is left behind; should the
   *   loop be started again, its first tick waits for that one.
   */
  async stop({ deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {}): Promise<void> {
    checkedDeadline(deadlineMs);
    this.running = false;
    this.owed.reset({ start: false });
    this.disarm();
    this.manual?.resolve({ claimed: 0 });
    this.manual = null;
    this.ticking?.abort();
    this.tellQuiet();
    if (!this.ticking) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.setTimeout(resolve, deadlineMs);
      this.onTickEnd.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Resolves when no tick is running or owed at this instant. What waits for a timer (a due time, a retry, the wake spacing) is not owed yet. */
  async settled(): Promise<void> {
    while (!this.isQuiet()) await new Promise<void>((resolve) => this.onQuiet.push(resolve));
  }

  counters(): LoopCounters {
    return { ...this.counts, idleLevel: this.owed.idleLevel, lateness: this.lateness };
  }

  /** Sets the one timer for the next tick, or launches it. */
  private arm(): void {
    if (!this.running || !this.isQuiet()) return;
    this.disarm();
    const delay = this.owed.untilNextTick(this.instant());
    if (delay > 0) {
      // A timer that is only part of a long wait, or finds the wall clock set back, arms the rest.
      this.timer = this.clock.setTimeout(() => this.arm(), Math.min(Math.ceil(delay), LONGEST_TIMER_MS));
      return;
    }
    // Through the event loop: ticks that follow each other let I/O through, and all wakes of one turn share a tick. Not unref'd: an event
    // loop with nothing else to do would sleep over an unref'd immediate, and it holds the process for this one turn only.
    this.launch = setImmediate(() => void this.run());
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = null;
    if (this.launch) clearImmediate(this.launch);
    this.launch = null;
  }

  private async run(): Promise<void> {
    this.disarm();
    const abort = new AbortController();
    this.ticking = abort;
    const { manual } = this;
    this.manual = null;
    const taken = this.owed.take(this.instant(), { manual: manual !== null });
    this.counts.ticks += 1;

    let result: TickResult | null = null;
    let errors: readonly unknown[] = [];
    try {
      result = await this.options.tick(abort.signal, taken.hint);
      errors = result.failed ?? [];
    } catch (error) {
      errors = [error];
    }

    this.ticking = null;
    // After a stop, what the tick found concerns nobody: a restart begins with a tick of its own.
    if (!abort.signal.aborted) this.owed.settle(taken, result, errors.length > 0);
    this.count(result, errors);
    if (result) manual?.resolve(result);
    else manual?.reject(errors[0]);
    for (const resolve of this.onTickEnd.splice(0)) resolve();
    if (this.manual) void this.run();
    else this.arm();
    this.tellQuiet();
  }

  private count(result: TickResult | null, errors: readonly unknown[]): void {
    if (result?.latenessMs !== undefined) {
      this.lateness = { lastMs: result.latenessMs, maxMs: Math.max(result.latenessMs, this.lateness?.maxMs ?? 0) };
    }
    this.counts.errors += errors.length;
    for (const error of errors) isolated(() => this.options.onTickError(error));
  }

  private isQuiet(): boolean {
    return !this.ticking && !this.launch;
  }

  private tellQuiet(): void {
    if (this.isQuiet()) for (const resolve of this.onQuiet.splice(0)) resolve();
  }

  private instant(): Instant {
    return { wall: this.clock.now(), monotonic: this.clock.monotonic() };
  }
}

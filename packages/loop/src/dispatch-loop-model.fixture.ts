import { ManualClock } from '@bellhop/testing/manual-clock';
import fc from 'fast-check';
import { expect } from 'vitest';
import { DispatchLoop } from './dispatch-loop.js';
import type { TickResult } from './loop-options.js';

/**
 * A store that loses nothing, driven by a loop whose interval is so long that polling never helps: whatever is taken was taken because the
 * loop kept its word. Ticks fail, hang, find no room or do not survey, as drawn; announcements come at any moment, inside ticks too.
 */
const YEAR_MS = 31_536_000_000;
const LONGEST_TICK_MS = 400;
/** The longest a retry waits, and then the tick itself. */
const BOUND_MS = 5_000 + LONGEST_TICK_MS;
/** Ticks after which the loop is stopped: one that spins leaves its work undone instead of hanging the run. */
const MOST_TICKS = 1_000;

type Outcome = { readonly kind: 'ok' | 'unsurveyed' | 'more' | 'full' | 'part fails' | 'throws'; readonly lastsMs: number };
type Command =
  | { readonly do: 'wake' | 'refill' | 'tick' | 'restart' }
  | { readonly do: 'due'; readonly inMs: number }
  | { readonly do: 'advance'; readonly ms: number };

const outcome = fc.record({
  kind: fc.constantFrom<Outcome['kind'][]>('ok', 'unsurveyed', 'more', 'full', 'part fails', 'throws'),
  lastsMs: fc.constantFrom(0, 0, 3, 120, LONGEST_TICK_MS),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(0, 1, 9, 50, 700, 6_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('wake' as const, 'refill' as const, 'tick' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('due' as const), inMs: fc.constantFrom(-5, 0, 1, 60, 2_000, 20_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

class Model {
  readonly clock = new ManualClock();
  readonly loop: DispatchLoop;
  private running = 0;
  mostAtOnce = 0;
  ticks = 0;
  /** Due times of work that was announced and not taken. */
  work: number[] = [];

  constructor(
    /** Emptied as they are used. */
    readonly outcomes: Outcome[],
    minWakeSpacingMs: number,
  ) {
    this.loop = new DispatchLoop({
      clock: this.clock,
      intervalMs: YEAR_MS,
      maxIdleIntervalMs: YEAR_MS,
      minWakeSpacingMs,
      onTickError: () => {},
      tick: () => this.tick(),
    });
  }

  private async tick(): Promise<TickResult> {
    this.ticks += 1;
    if (this.ticks === MOST_TICKS) void this.loop.stop();
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    try {
      const { kind, lastsMs } = this.outcomes.shift() ?? { kind: 'ok', lastsMs: 0 };
      const startedAt = this.clock.now();
      const seen = [...this.work];
      if (lastsMs > 0) await new Promise<void>((resolve) => this.clock.setTimeout(resolve, lastsMs));
      if (kind === 'throws') throw new Error('store is down');
      const later = seen.filter((dueAt) => dueAt > startedAt);
      const survey = kind === 'unsurveyed' ? {} : { nextDueAt: later.length > 0 ? Math.min(...later) : null };
      if (kind === 'full') return { claimed: 0, full: true, ...survey };
      if (kind === 'part fails') return { claimed: 0, failed: ['a part'], ...survey };
      // `more` takes one and leaves the rest for the next tick.
      const due = seen.filter((dueAt) => dueAt <= startedAt).slice(0, kind === 'more' ? 1 : undefined);
      for (const dueAt of due) this.work.splice(this.work.indexOf(dueAt), 1);
      const rest = seen.some((dueAt) => dueAt <= startedAt && this.work.includes(dueAt));
      return { claimed: due.length, more: rest, ...survey };
    } finally {
      this.running -= 1;
    }
  }

  async run(step: Command): Promise<void> {
    const announce = (dueAt: number) => void this.work.push(dueAt);
    if (step.do === 'advance') await this.clock.advance(step.ms);
    else if (step.do === 'wake') {
      announce(this.clock.now());
      this.loop.wake();
    } else if (step.do === 'due') {
      announce(this.clock.now() + step.inMs);
      this.loop.due(this.clock.now() + step.inMs);
    } else if (step.do === 'refill') this.loop.refill();
    else if (step.do === 'tick') this.loop.tick().catch(() => {});
    else {
      void this.loop.stop();
      this.work = []; // stop() forgets on purpose
      this.loop.start();
    }
  }
}

/** Never two ticks at once, and no wake or due time is forgotten, whatever happens in what order. */
export const keepsItsWord = fc.asyncProperty(
  fc.array(outcome, { maxLength: 12 }),
  fc.array(command, { minLength: 1, maxLength: 25 }),
  fc.constantFrom(0, 10),
  async (outcomes, commands, spacing) => {
    const model = new Model([...outcomes], spacing);
    model.loop.start();
    for (const step of commands) await model.run(step);
    model.outcomes.length = 0; // from here on the store is well, and has room
    await model.clock.advance(LONGEST_TICK_MS);
    model.loop.refill();
    await model.clock.advance(BOUND_MS);
    const lastDueAt = Math.max(model.clock.now(), ...model.work);
    expect(model.work.filter((dueAt) => dueAt <= model.clock.now())).toEqual([]);
    await model.clock.advance(lastDueAt - model.clock.now());
    expect(model.work).toEqual([]);
    expect(model.mostAtOnce).toBe(1);
    expect(model.ticks).toBeLessThan(MOST_TICKS);
  },
);

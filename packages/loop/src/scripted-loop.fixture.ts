import { ManualClock } from '@bellhop/testing/manual-clock';
import { DispatchLoop } from './dispatch-loop.js';
import type { DispatchLoopOptions, TickHint, TickResult } from './loop-options.js';

/** Ticks after which the loop is stopped: one that spins fails its test instead of hanging it. */
const MOST_TICKS = 1_000;

type Step = TickResult | ((signal: AbortSignal) => TickResult | Promise<TickResult>);

/**
 * A loop on a manual clock whose ticks do what a script says, one step each, next find nothing; and the record of when and why they ran.
 * Times are milliseconds since the loop was made.
 */
export function scriptedLoop(options: Partial<DispatchLoopOptions> & { readonly script?: readonly Step[] } = {}) {
  const { script = [], ...loopOptions } = options;
  const steps = [...script];
  const clock = new ManualClock({ now: 1_000_000 });
  const ticks: { readonly at: number; readonly hint: TickHint }[] = [];
  const errors: unknown[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const loop = new DispatchLoop({
    clock,
    onTickError: (error) => errors.push(error),
    tick: async (signal, hint) => {
      ticks.push({ at: clock.monotonic(), hint });
      if (ticks.length === MOST_TICKS) void loop.stop();
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      try {
        const step = steps.shift() ?? { claimed: 0 };
        return await (typeof step === 'function' ? step(signal) : step);
      } finally {
        running -= 1;
      }
    },
    ...loopOptions,
  });
  return {
    loop,
    clock,
    ticks,
    errors,
    times: () => ticks.map(({ at }) => at),
    hints: () => ticks.map(({ hint }) => hint),
    gaps: () => ticks.slice(1).map(({ at }, index) => at - (ticks[index]?.at ?? 0)),
    /** Wall time `ms` after the loop was made. */
    wall: (ms: number) => 1_000_000 + ms,
    mostAtOnce: () => mostAtOnce,
    next: (...more: Step[]) => void steps.push(...more),
  };
}

/** A tick of `ms`, as a slow store makes it. */
export function lasting(clock: ManualClock, ms: number, result: TickResult = { claimed: 0 }): Promise<TickResult> {
  return new Promise((resolve) => clock.setTimeout(() => resolve(result), ms));
}

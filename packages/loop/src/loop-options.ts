import type { Clock, Random } from '@bellhop/kernel';
import { inBounds } from './bounds.js';

/** Why a tick runs. `timer` is the interval, `manual` the public `tick()`. */
export type TickHint = 'start' | 'timer' | 'due' | 'wake' | 'more' | 'refill' | 'retry' | 'manual';

/** What one tick found. Everything but `claimed` is optional. */
export interface TickResult {
  /** Pieces of work taken. Above 0, the idle backoff starts over. */
  readonly claimed: number;
  /** The batch was full and there is room for another: tick again at once. Only with `claimed` above 0, or a loop would spin on it. */
  readonly more?: boolean;
  /** There was no room for work that is, or may be, there: the next `refill()` ticks at once. */
  readonly full?: boolean;
  /** Work was due and none could be claimed, because others hold it: tick again after one interval, the backoff as it was. */
  readonly contended?: boolean;
  /** The errors of parts that failed while others went on: the tick counts as failed. */
  readonly failed?: readonly unknown[];
  /** Epoch milliseconds of the earliest work that comes due later; null when a survey found none. Absent: not surveyed, what was known stays known. */
  readonly nextDueAt?: number | null;
  /** Claim time − due time of the latest piece of work this tick claimed, in milliseconds. */
  readonly latenessMs?: number;
}

export interface DispatchLoopOptions {
  readonly clock: Clock;
  /** Needed for `jitter` only. */
  readonly random?: Random;
  /** Milliseconds between ticks while there is work. 1 to 31 536 000 000 (a year), default 500. */
  readonly intervalMs?: number;
  /** Ceiling of the idle backoff, in milliseconds. 0 to 31 536 000 000, default 30 000. At or below `intervalMs`: no backoff. */
  readonly maxIdleIntervalMs?: number;
  /**
   * Least milliseconds from the start of one woken tick to the next, so that a stream of emits costs at most so many ticks. 0 to 60 000,
   * default 10: a hundred ticks a second. The first wake never waits.
   */
  readonly minWakeSpacingMs?: number;
  /** Part of each interval that is drawn at random, so that many loops do not poll in step: 0.1 shortens each by up to a tenth. 0 to 0.9, default 0. */
  readonly jitter?: number;
  /** Told of every error of a tick, and of each `failed` part. What it throws is ignored. */
  readonly onTickError: (error: unknown) => void;
  /**
   * One pass: claims up to what there is room for, hands out, and returns; it never waits for slow work.
   *
   * @param signal aborted by `stop()`: claim no more.
   * @param hint why the tick runs. After `wake`, work was announced a moment ago: claim first, survey only if that finds nothing.
   */
  readonly tick: (signal: AbortSignal, hint: TickHint) => TickResult | Promise<TickResult>;
}

export interface Settings {
  readonly intervalMs: number;
  readonly maxIdleIntervalMs: number;
  readonly minWakeSpacingMs: number;
  readonly jitter: number;
}

const YEAR_MS = 31_536_000_000;

/** @throws RangeError naming the option, what was given and what is allowed. */
export function checkedSettings(options: DispatchLoopOptions): Settings {
  const jitter = inBounds('jitter', options.jitter ?? 0, 0, 0.9);
  if (jitter > 0 && !options.random) throw new RangeError(`jitter: ${jitter} given without a random source; pass \`random\` too.`);
  return {
    intervalMs: inBounds('intervalMs', options.intervalMs ?? 500, 1, YEAR_MS),
    maxIdleIntervalMs: inBounds('maxIdleIntervalMs', options.maxIdleIntervalMs ?? 30_000, 0, YEAR_MS),
    minWakeSpacingMs: inBounds('minWakeSpacingMs', options.minWakeSpacingMs ?? 10, 0, 60_000),
    jitter,
  };
}

import type { ScheduleTiming } from '@bellhop/contracts';
import { CronTimes } from './cron-times.js';

/** When something fires. Times are epoch milliseconds and rise. */
export interface FireTimes {
  /** The first one after an instant; null: none. */
  next(after: number): number | null;
  /** Those from `from` up to `upTo`, both included, the last `count` of them at most, in their order. */
  latest(range: { readonly from: number; readonly upTo: number; readonly count: number }): number[];
}

/** A timing with every default filled in. */
export type CheckedTiming =
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everyMs: number; readonly startAt: number }
  | { readonly once: number };

const kept = new Map<string, CronTimes>();

/** @throws InputError `INVALID_INPUT` for a cron timing that is none: a time zone can vanish from the machine's tables after it was checked. */
export function fireTimesOf(timing: ScheduleTiming): FireTimes {
  if ('cron' in timing) return cronTimes(timing.cron, timing.timeZone ?? 'UTC');
  if ('everyMs' in timing) return new IntervalTimes(timing.everyMs, timing.startAt ?? 0);
  return new SingleTime(timing.once);
}

/** A time zone takes a while to make, and there are few of them. */
function cronTimes(pattern: string, timeZone: string): CronTimes {
  const key = JSON.stringify([pattern, timeZone]);
  const known = kept.get(key);
  if (known) return known;
  const made = new CronTimes(pattern, timeZone);
  if (kept.size >= 1_000) kept.clear();
  kept.set(key, made);
  return made;
}

class IntervalTimes implements FireTimes {
  constructor(
    private readonly everyMs: number,
    private readonly startAt: number,
  ) {}

  next(after: number): number {
    return after < this.startAt ? this.startAt : this.startAt + (Math.floor((after - this.startAt) / this.everyMs) + 1) * this.everyMs;
  }

  latest({ from, upTo, count }: { readonly from: number; readonly upTo: number; readonly count: number }): number[] {
    const least = this.next(from - 1);
    const times: number[] = [];
    for (let time = this.next(upTo) - this.everyMs; time >= least && times.length < count; time -= this.everyMs) times.push(time);
    return times.reverse();
  }
}

class SingleTime implements FireTimes {
  constructor(private readonly once: number) {}

  next(after: number): number | null {
    return this.once > after ? this.once : null;
  }

  latest({ from, upTo, count }: { readonly from: number; readonly upTo: number; readonly count: number }): number[] {
    return this.once >= from && this.once <= upTo && count > 0 ? [this.once] : [];
  }
}

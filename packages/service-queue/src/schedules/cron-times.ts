import { errorMessage, InputError } from '@bellhop/kernel';
import { Cron } from 'croner';
import type { FireTimes } from './fire-times.js';
import { TimeZone } from './time-zone.js';

/**
 * The fire times of a cron pattern. croner reads the pattern and walks over local times; when the clocks of the zone show them is decided here, for
 * in a DST gap croner moves a time by the length of the gap (02:30 to 03:30) instead of to the end of it, and merges what falls together there. In
 * UTC it is also forty times as fast.
 */
export class CronTimes implements FireTimes {
  readonly #cron: Cron;
  readonly #zone: TimeZone;

  /** @throws InputError `INVALID_INPUT`: no such pattern, one that never fires, no such time zone. */
  constructor(pattern: string, timeZone: string, path = 'timing') {
    this.#zone = new TimeZone(timeZone, `${path}.timeZone`);
    this.#cron = parsed(pattern, `${path}.cron`);
    if (this.#nextLocal(Date.UTC(2000, 0, 1)) === null) {
      refuseCron(`${path}.cron`, pattern, 'it never fires; name a date that exists');
    }
  }

  next(after: number): number | null {
    const local = this.#nextLocal(this.#zone.localAfter(after));
    return local === null ? null : this.#zone.toInstant(local);
  }

  latest({ from, upTo, count }: { readonly from: number; readonly upTo: number; readonly count: number }): number[] {
    const times: number[] = [];
    for (let local = this.#previousLocal(this.#zone.localAfter(upTo)); local !== null; local = this.#previousLocal(local)) {
      const time = this.#zone.toInstant(local);
      if (time < from) break;
      // All that a gap leaves out fires at its end, once.
      if (time === times.at(-1)) continue;
      if (times.length === count) break;
      times.push(time);
    }
    return times.reverse();
  }

  /** The first local time of the pattern at `from` or later. */
  #nextLocal(from: number): number | null {
    return this.#cron.nextRun(new Date(from - 1))?.getTime() ?? null;
  }

  /** The last local time of the pattern before `to`. Whole seconds: croner looks at none that has begun. */
  #previousLocal(to: number): number | null {
    return this.#cron.previousRuns(1, new Date(Math.ceil(to / 1_000) * 1_000))[0]?.getTime() ?? null;
  }
}

function parsed(pattern: string, path: string): Cron {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) {
    refuseCron(path, pattern, 'five fields are needed (minute, hour, day, month, day of week), or six with seconds first');
  }
  try {
    return new Cron(pattern.trim(), { utcOffset: 0, paused: true, mode: '5-or-6-parts' });
  } catch (cause) {
    refuseCron(path, pattern, errorMessage(cause).replace(/^CronPattern: /, ''), cause);
  }
}

function refuseCron(path: string, pattern: string, problem: string, cause?: unknown): never {
  const text = `${path}: ${JSON.stringify(pattern.slice(0, 80))} given; ${problem.replace(/\.$/, '')}.`;
  throw new InputError('INVALID_INPUT', text, cause === undefined ? { path } : { path, cause });
}

import { InputError } from '@bellhop/kernel';

const DAY_MS = 86_400_000;

/**
 * Local times of one time zone. A local time is a number, too: the epoch milliseconds at which the clocks of UTC show it.
 *
 * The offsets come from the machine's own tables (`Intl`), so an update of those moves fire times as it should.
 */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | null;

  /** @throws InputError `INVALID_INPUT` for a name that this machine's tables do not have. */
  constructor(name: string, path = 'timeZone') {
    this.name = name;
    try {
      const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
      // A name, not an offset such as +02:00: that knows no DST, and whoever writes it seldom means so.
      if (!/^[A-Za-z]/.test(name)) throw new RangeError(name);
      const format = new Intl.DateTimeFormat('en-US', { timeZone: name, hourCycle: 'h23', era: 'short', ...fields });
      this.#format = format.resolvedOptions().timeZone === 'UTC' ? null : format;
    } catch (cause) {
      const problem = `no such time zone: ${JSON.stringify(name.slice(0, 80))}; give an IANA name, such as Europe/Berlin or UTC.`;
      throw new InputError('INVALID_INPUT', `${path}: ${problem}`, { path, cause });
    }
  }

  /** What the clocks of the zone show at an instant. */
  toLocal(instant: number): number {
    return instant + this.#offsetAt(instant);
  }

  /**
   * When the clocks of the zone first show a local time; where they leave it out, the first instant after the gap. Never goes back: a later local
   * time has no earlier instant.
   */
  toInstant(local: number): number {
    if (!this.#format) return local;
    // No zone has two changes within so short a time, and no gap is longer.
    const [before, after] = [this.#offsetAt(local - DAY_MS), this.#offsetAt(local + DAY_MS)];
    for (const offset of [Math.max(before, after), Math.min(before, after)]) {
      if (this.#offsetAt(local - offset) === offset) return local - offset;
    }
    return this.#changeBetween(local - after, local - before);
  }

  /**
   * A local time no later than any that is first shown after the instant, and later than all those shown first at it or before: where a search
   * for the next fire time begins. In the repeated part of an overlap that is its end.
   */
  localAfter(instant: number): number {
    const local = this.toLocal(instant);
    const first = this.toInstant(local);
    if (first >= instant) return local + 1;
    return this.#changeBetween(first, instant) + this.#offsetAt(first);
  }

  /** The first instant after `from`, up to `to`, at which the offset is not that of `from` any more. */
  #changeBetween(from: number, to: number): number {
    const offset = this.#offsetAt(from);
    let [same, changed] = [from, to];
    while (changed - same > 1) {
      const middle = Math.floor((same + changed) / 2);
      if (this.#offsetAt(middle) === offset) same = middle;
      else changed = middle;
    }
    return changed;
  }

  #offsetAt(instant: number): number {
    if (!this.#format) return 0;
    const parts: Record<string, string> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = value;
    const field = (name: string) => Number(parts[name]);
    const year = parts.era === 'BC' ? 1 - field('year') : field('year');
    const shown = new Date(0);
    shown.setUTCFullYear(year, field('month') - 1, field('day'));
    shown.setUTCHours(field('hour'), field('minute'), field('second'));
    return shown.getTime() - Math.floor(instant / 1_000) * 1_000;
  }
}

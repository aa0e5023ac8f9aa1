/** Days on which the clocks of a zone change, and the zone: its local time is read minute by minute, with none of the code under test. */
const DAYS = [
  ['Europe/Berlin', '2026-03-29T00:00'],
  ['Europe/Berlin', '2026-10-25T00:00'],
  ['America/New_York', '2026-03-08T06:00'],
  ['America/New_York', '2026-11-01T05:00'],
  ['Australia/Lord_Howe', '2026-10-03T15:00'],
  ['Australia/Lord_Howe', '2026-04-04T15:00'],
  ['America/Santiago', '2026-09-06T04:00'],
  ['America/Santiago', '2026-04-05T03:00'],
  ['Asia/Kathmandu', '2026-04-05T03:00'],
] as const;
const MINUTE = 60_000;
const [FROM, TO] = [-7 * 60, 30 * 60];

interface Minute {
  readonly at: number;
  readonly day: string;
  /** Of the day. */
  readonly minute: number;
}

/** What the clocks of a zone show in each minute around a change. */
export interface ChangingClock {
  readonly zone: string;
  readonly first: number;
  readonly last: number;
  readonly minutes: readonly Minute[];
}

function clockOf(zone: string, around: number): ChangingClock {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const minutes = Array.from({ length: TO - FROM }, (_, i) => {
    const at = around + (FROM + i) * MINUTE;
    const [day = '', time = ''] = format.format(at).split(' ');
    const [hour, minute] = time.split(':').map(Number);
    return { at, day, minute: (hour ?? 0) * 60 + (minute ?? 0) };
  });
  return { zone, first: minutes[0]?.at as number, last: minutes.at(-1)?.at as number, minutes };
}

export const CHANGING_CLOCKS: readonly ChangingClock[] = DAYS.map(([zone, around]) => clockOf(zone, Date.parse(`${around}Z`)));

/** When `minutes hours * * *` fires by such clocks, after its first minute: once for each local time, where it is left out at the next instant. */
export function expectedTimes({ first, minutes: shown }: ChangingClock, minutes: readonly number[], hours: readonly number[]): number[] {
  const wanted = (minute: number) => minutes.includes(minute % 60) && hours.includes(Math.floor(minute / 60));
  const expected = new Set<number>();
  const seen = new Set<string>();
  shown.forEach(({ at, day, minute }, i) => {
    const last = shown[i - 1];
    // What was skipped between the minute before and this one, on this day or the last: due here.
    if (last) {
      const from = day === last.day ? last.minute + 1 : 0;
      for (let left = from; left < minute; left += 1) if (wanted(left)) expected.add(at);
    }
    if (!seen.has(`${day} ${minute}`) && wanted(minute)) expected.add(at);
    seen.add(`${day} ${minute}`);
  });
  expected.delete(first);
  return [...expected].sort((a, b) => a - b);
}

import { InputError } from '@bellhop/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANGING_CLOCKS, expectedTimes } from './changing-clocks.fixture.js';
import { CronTimes } from './cron-times.js';

const utc = (text: string) => Date.parse(`${text}Z`);
const shown = (time: number) => new Date(time).toISOString().slice(0, 16);

/** The fire times after one instant and before another. */
function between(pattern: string, zone: string, after: string, before: string): string[] {
  const cron = new CronTimes(pattern, zone);
  const times: string[] = [];
  for (let time = cron.next(utc(after)); time !== null && time < utc(before); time = cron.next(time)) times.push(shown(time));
  return times;
}

describe('CronTimes', () => {
  it.each([
    // A gap: once, at its end, however many fire times it leaves out.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00', '2026-03-30T12:00', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['*/10 2 29 3 *', 'Europe/Berlin', '2026-03-28T12:00', '2026-03-30T12:00', ['2026-03-29T01:00']],
    [
      '30 1-3 29 3 *',
      'Europe/Berlin',
      '2026-03-28T12:00',
      '2026-03-30T12:00',
      ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
    ],
    ['0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00', '2026-03-30T12:00', ['2026-03-29T01:00', '2026-03-30T01:00']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00', '2026-10-05T00:00', ['2026-10-03T15:30', '2026-10-04T15:15']],
    ['0 0 * * *', 'America/Santiago', '2026-09-05T12:00', '2026-09-07T12:00', ['2026-09-06T04:00', '2026-09-07T03:00']],
    ['30 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00', '2012-01-15T00:00', ['2011-12-30T10:00']],
    // An overlap: once, the first time.
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-26T12:00', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      '*/30 2-3 25 10 *',
      'Europe/Berlin',
      '2026-10-24T12:00',
      '2026-10-26T12:00',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T02:00', '2026-10-25T02:30'],
    ],
    [
      '30 * * * *',
      'America/New_York',
      '2026-11-01T04:00',
      '2026-11-01T08:00',
      ['2026-11-01T04:30', '2026-11-01T05:30', '2026-11-01T07:30'],
    ],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00', '2026-04-06T00:00', ['2026-04-04T14:45', '2026-04-05T15:15']],
    // Seconds, and the calendar.
    ['15 30 9 * * MON-FRI', 'UTC', '2026-01-02T00:00', '2026-01-06T00:00', ['2026-01-02T09:30', '2026-01-05T09:30']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00', '2033-01-01T00:00', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 12 L * *', 'UTC', '2026-01-01T00:00', '2026-03-15T00:00', ['2026-01-31T12:00', '2026-02-28T12:00']],
    ['0 0 1 * MON', 'UTC', '2026-06-01T00:00', '2026-06-09T00:00', ['2026-06-08T00:00']],
  ])('%s in %s', (pattern, zone, after, before, expected) => {
    expect(between(pattern, zone, after, before)).toEqual(expected);
  });

  it('begins in the repeated hour with what comes after it (control: in the first one it is still to come)', () => {
    const cron = new CronTimes('30 2 * * *', 'Europe/Berlin');
    expect(shown(cron.next(utc('2026-10-25T01:15')) as number)).toBe('2026-10-26T01:30');
    expect(shown(cron.next(utc('2026-10-25T00:15')) as number)).toBe('2026-10-25T00:30');
  });

  it('gives the latest of a range, both ends included, in their order', () => {
    const cron = new CronTimes('*/10 * * * *', 'UTC');
    const latest = (from: string, upTo: string, count: number) => cron.latest({ from: utc(from), upTo: utc(upTo), count }).map(shown);
    expect(latest('2026-01-01T10:00', '2026-01-01T11:00', 3)).toEqual(['2026-01-01T10:40', '2026-01-01T10:50', '2026-01-01T11:00']);
    expect(latest('2026-01-01T10:50', '2026-01-01T11:00', 9)).toEqual(['2026-01-01T10:50', '2026-01-01T11:00']);
    expect(latest('2026-01-01T10:51', '2026-01-01T10:59', 9)).toEqual([]);
  });

  it('fires once for each local time it names: when that is first shown, or where the clocks leave it out at the next instant', () => {
    const some = (most: number) => fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...CHANGING_CLOCKS), some(59), some(23), (clock, minutes, hours) => {
        const { zone, first, last } = clock;
        const cron = new CronTimes(`${minutes.join(',')} ${hours.join(',')} * * *`, zone);
        const times: number[] = [];
        for (let time = cron.next(first); time !== null && time <= last; time = cron.next(time)) times.push(time);
        expect(times.map(shown)).toEqual(expectedTimes(clock, minutes, hours).map(shown));
        const count = Math.max(1, Math.floor(times.length / 2));
        expect(cron.latest({ from: first + 1, upTo: last, count })).toEqual(times.slice(-count));
        expect(cron.latest({ from: first + 1, upTo: last, count: 1_000 })).toEqual(times);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['0 0 30 2 *', /never fires/],
    ['0 0 31 4,6 *', /never fires/],
    ['* * * *', /five fields are needed/],
    ['0 0 0 1 1 * 2030', /five fields are needed/],
    ['@daily', /five fields are needed/],
    ['', /five fields are needed/],
    ['61 * * * *', /61/],
    ['a b c d e', /illegal/],
    [`${'*'.repeat(500)} * * * *`, /given/],
  ])('refuses %s', (pattern, message) => {
    expect(() => new CronTimes(pattern, 'UTC', 'spec.timing')).toThrow(InputError);
    expect(() => new CronTimes(pattern, 'UTC', 'spec.timing')).toThrow(message);
    expect(() => new CronTimes(pattern, 'UTC', 'spec.timing')).toThrow(/^spec\.timing\.cron: /);
  });

  it('finds a date that comes once in decades', () => {
    expect(shown(new CronTimes('0 0 29 2 +MON', 'UTC').next(utc('2026-01-01T00:00')) as number)).toBe('2044-02-29T00:00');
  });
});

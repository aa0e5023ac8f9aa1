import { InputError } from '@bellhop/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimeZone } from './time-zone.js';

/** Changes of an hour both ways, of half an hour (Lord Howe), at midnight (Santiago), of a whole day (Apia 2011), and none. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'UTC',
];
/** When the clocks of one of them are changed. */
const CHANGES = [
  '2026-03-29T01:00',
  '2026-10-25T01:00',
  '2026-03-08T07:00',
  '2026-11-01T06:00',
  '2026-10-03T15:30',
  '2026-04-04T15:00',
  '2026-09-06T04:00',
  '2026-04-05T03:00',
  '2026-02-15T02:00',
  '2026-03-22T02:00',
  '2011-12-30T10:00',
];
const HOUR = 3_600_000;
const utc = (text: string) => Date.parse(`${text}Z`);

describe('TimeZone', () => {
  it.each([
    ['Europe/Berlin', '2026-01-15T12:00', '2026-01-15T11:00'],
    ['Europe/Berlin', '2026-07-15T12:00', '2026-07-15T10:00'],
    // The gap of 2026-03-29, 02:00 to 03:00: its end.
    ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59'],
    ['Europe/Berlin', '2026-03-29T02:00', '2026-03-29T01:00'],
    ['Europe/Berlin', '2026-03-29T02:59', '2026-03-29T01:00'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00'],
    // The overlap of 2026-10-25, 02:00 to 03:00: the first time.
    ['Europe/Berlin', '2026-10-25T02:00', '2026-10-25T00:00'],
    ['Europe/Berlin', '2026-10-25T02:59', '2026-10-25T00:59'],
    ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:10', '2026-10-03T15:30'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45'],
    ['America/Santiago', '2026-09-06T00:30', '2026-09-06T04:00'],
    // A day that never was.
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T10:00'],
    ['UTC', '2026-03-29T02:30', '2026-03-29T02:30'],
  ])('%s shows %s at %s', (zone, local, instant) => {
    expect(new Date(new TimeZone(zone).toInstant(utc(local)))).toEqual(new Date(utc(instant)));
  });

  it('knows what the clocks show at an instant', () => {
    const berlin = new TimeZone('Europe/Berlin');
    expect(berlin.toLocal(utc('2026-10-25T00:30'))).toBe(utc('2026-10-25T02:30'));
    expect(berlin.toLocal(utc('2026-10-25T01:30'))).toBe(utc('2026-10-25T02:30'));
  });

  const zones = fc.constantFrom(...ZONES).map((name) => new TimeZone(name));
  // Most of them near a change: a draw from thirty years meets hardly any.
  const instants = fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: utc('2009-01-01T00:00'), max: utc('2039-01-01T00:00') }) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...CHANGES), fc.oneof(fc.integer({ min: -26 * HOUR, max: 26 * HOUR }), fc.integer({ min: -2, max: 2 })))
        .map(([change, away]) => utc(change) + away),
    },
  );

  it('shows an instant that a local time is said to be at as that local time, or as the end of a gap', () => {
    fc.assert(
      fc.property(zones, instants, (zone, local) => {
        const instant = zone.toInstant(local);
        const shown = zone.toLocal(instant);
        expect(shown).toBeGreaterThanOrEqual(local);
        if (shown === local) return;
        // In a gap: a millisecond before, the clocks had not come to it.
        expect(zone.toLocal(instant - 1)).toBeLessThan(local);
      }),
      { numRuns: 2_000 },
    );
  });

  it('shows a local time nowhere before the instant it is said to be first at', () => {
    fc.assert(
      fc.property(zones, instants, (zone, instant) => {
        expect(zone.toInstant(zone.toLocal(instant))).toBeLessThanOrEqual(instant);
      }),
      { numRuns: 2_000 },
    );
  });

  it('begins a search where the first local time after an instant may be, and not where one before it is', () => {
    fc.assert(
      fc.property(zones, instants, fc.integer({ min: 0, max: 26 * HOUR }), (zone, instant, away) => {
        const start = zone.localAfter(instant);
        expect(zone.toInstant(start + away)).toBeGreaterThan(instant);
        expect(zone.toInstant(start - 1 - away)).toBeLessThanOrEqual(instant);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never goes back', () => {
    fc.assert(
      fc.property(zones, instants, fc.integer({ min: 0, max: 26 * HOUR }), (zone, local, away) => {
        expect(zone.toInstant(local + away)).toBeGreaterThanOrEqual(zone.toInstant(local));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['Mars/Olympus', '', '+02:00', 'Europe/Berlin ', 'x'.repeat(300)])('refuses the zone %j', (name) => {
    expect(() => new TimeZone(name, 'spec.timing.timeZone')).toThrow(InputError);
    expect(() => new TimeZone(name, 'spec.timing.timeZone')).toThrow(/^spec\.timing\.timeZone: no such time zone/);
  });
});

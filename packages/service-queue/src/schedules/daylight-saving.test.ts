import { ManualClock } from '@bellhop/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queueBench } from '../queue-bench.fixture.js';
import { CHANGING_CLOCKS, expectedTimes } from './changing-clocks.fixture.js';

const HOUR_MS = 3_600_000;
const shown = (time: number) => new Date(time).toISOString().slice(0, 16);

/** A service from one instant to another with one schedule. @returns when its jobs ran, and its fire times in its history. */
async function live({ cron, timeZone, first, last }: { cron: string; timeZone: string; first: number; last: number }) {
  const clock = new ManualClock({ now: first });
  const { service, worker } = queueBench({ clock, maxIdleIntervalMs: HOUR_MS });
  const ran: number[] = [];
  service.subscribe('report', () => void ran.push(clock.now()));
  await service.schedule('daily', { timing: { cron, timeZone }, queue: 'report' });
  const preview = (await service.previewSchedule('daily', 100)).filter((time) => time <= last);
  worker.start();
  await clock.advance(last - first);
  const runs = await service.scheduleRuns('daily', 200);
  await worker.stop();
  return { ran, preview, history: runs.map(({ fireAt, outcome }) => (outcome === 'published' ? fireAt : Number.NaN)).reverse() };
}

describe('a cron schedule on a day on which the clocks change', () => {
  it('runs once for each local time: in a gap at the next instant, in an overlap the first time', async () => {
    const some = (most: number) => fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CHANGING_CLOCKS), some(59), some(23), async (clock, minutes, hours) => {
        const { zone: timeZone, first, last } = clock;
        const cron = `${minutes.join(',')} ${hours.join(',')} * * *`;
        const expected = expectedTimes(clock, minutes, hours).map(shown);
        const { ran, history, preview } = await live({ cron, timeZone, first, last });
        expect(history.map(shown)).toEqual(expected);
        // A wake is at least 10 ms after the last: so late may a job of the same instant be, and no more.
        expect(ran.map(shown)).toEqual(expected);
        expect(preview.map(shown)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('has the hour that is left out, and the one that is shown twice (control: an hourly schedule keeps on)', async () => {
    const [first, last] = [Date.parse('2026-10-24T22:00Z'), Date.parse('2026-10-25T04:00Z')];
    const times = async (cron: string, timeZone: string) => (await live({ cron, timeZone, first, last })).history.map(shown);
    expect(await times('30 2 * * *', 'Europe/Berlin')).toEqual(['2026-10-25T00:30']);
    expect(await times('0 * * * *', 'UTC')).toHaveLength(6);
  });
});

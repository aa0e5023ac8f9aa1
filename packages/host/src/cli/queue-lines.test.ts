import type { Job, Schedule } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { duration, failedLine, scheduleLine, statsLine } from './queue-lines.js';

const stats = {
  queue: 'mail',
  paused: false,
  scheduled: 1,
  pending: 2,
  running: 3,
  completed: 4,
  dead: 0,
  cancelled: 5,
  oldestPendingMs: null,
  oldestDeadMs: null,
};

describe('a line', () => {
  it('of a queue tells its states, and its ages where there are any', () => {
    expect(statsLine(stats)).toBe('"mail"  scheduled 1  pending 2  running 3  completed 4  dead 0  cancelled 5');
    expect(statsLine({ ...stats, paused: true, oldestPendingMs: 90_500, oldestDeadMs: 500_000_000 })).toMatch(
      /cancelled 5 {2}oldest pending 90 s {2}oldest dead 5 d {2}paused$/,
    );
  });

  it('of a dead job stays one line, and sends nothing to the terminal that its error holds', () => {
    const job = { id: 'id-1', queue: 'ma"il', organizationId: 'acme', attempts: 3, maxAttempts: 3, finishedAt: 0 } as Job;
    const line = failedLine({ ...job, lastError: `first\nsecond\u001b[31m \u009b31m red\u2028${'x'.repeat(300)}` });
    expect(line).toMatch(
      /^id-1 {2}"ma\\"il" {2}organization "acme" {2}attempt 3 of 3 {2}died 1970-01-01T00:00:00\.000Z {2}first second \[31m/,
    );
    expect(line).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(line.endsWith('…')).toBe(true);
    expect(failedLine({ ...job, queue: '\u001b[2J', lastError: null })).toContain('"\\u001b[2J"');
  });

  it.each(['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'])('holds no mark that turns its direction: %j', (mark) => {
    const job = { id: 'id-1', queue: `a${mark}b`, organizationId: 'acme', attempts: 1, maxAttempts: 1, finishedAt: null } as Job;
    const line = failedLine({ ...job, lastError: `c${mark}d \u05d0` });
    expect(line).toContain('"a b"');
    expect(line.endsWith('c d \u05d0')).toBe(true);
  });

  it.each([
    [{ cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, 'cron "0 9 * * *" Europe/Berlin'],
    [{ cron: '0 9 * * *' }, 'cron "0 9 * * *" UTC'],
    [{ everyMs: 90_000 }, 'every 90 s'],
    [{ once: 5 }, 'once'],
  ])('of a schedule says when it fires: %j', (timing, text) => {
    const schedule = {
      name: 'daily',
      organizationId: 'acme',
      spec: { timing, queue: 'report' },
      paused: true,
      nextFireAt: 0,
      lastFireAt: 1,
    } as Schedule;
    expect(scheduleLine(schedule)).toBe(
      `"daily"  organization "acme"  ${text}  into "report"  next 1970-01-01T00:00:00.000Z  last 1970-01-01T00:00:00.001Z  paused`,
    );
    expect(scheduleLine({ ...schedule, nextFireAt: null, lastFireAt: null, paused: false })).toMatch(/fires no more$/);
  });
});

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [119_999, '119 s'],
  [120_000, '2 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 d'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

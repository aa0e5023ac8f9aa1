import { describe, expect, test } from 'vitest';
import { scriptedLoop } from './scripted-loop.fixture.js';

const MINUTE = 60_000;

describe('idle backoff', () => {
  test('[L3] with defaults the gaps are 1, 2, 4, 8, 16, 30, 30 s: 24 ticks in ten idle minutes', async () => {
    const { loop, clock, gaps, ticks } = scriptedLoop();
    loop.start();
    await clock.advance(10 * MINUTE);
    expect(gaps().slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(ticks).toHaveLength(24);
  });

  test.each([0, 250, 500])('[L3] a ceiling of %i ms, at or below the interval, is the fixed loop', async (maxIdleIntervalMs) => {
    const { loop, clock, gaps } = scriptedLoop({ maxIdleIntervalMs });
    loop.start();
    await clock.advance(3_000);
    expect(gaps()).toEqual([500, 500, 500, 500, 500, 500]);
  });

  test('[L2] a tick that claimed something resets the delay; the next idle ones double it again', async () => {
    const { loop, clock, gaps, next } = scriptedLoop();
    next({ claimed: 0 }, { claimed: 0 }, { claimed: 0 }, { claimed: 1 });
    loop.start();
    await clock.advance(11_000);
    expect(gaps()).toEqual([1_000, 2_000, 4_000, 500, 1_000, 2_000]);
  });

  test('[L3] jitter shortens a delay by at most its share, never lengthens it', async () => {
    const { loop, clock, gaps } = scriptedLoop({ jitter: 0.1, random: () => 0.5, maxIdleIntervalMs: 2_000 });
    loop.start();
    await clock.advance(6_000);
    expect(gaps()).toEqual([950, 1_900, 1_900]);
  });

  test.each([
    [{ intervalMs: 0 }, 'intervalMs: 0 given; a number from 1 to 31536000000 is allowed.'],
    [{ intervalMs: Number.NaN }, 'intervalMs: NaN given'],
    [{ maxIdleIntervalMs: -1 }, 'maxIdleIntervalMs: -1 given'],
    [{ minWakeSpacingMs: 60_001 }, 'minWakeSpacingMs: 60001 given; a number from 0 to 60000 is allowed.'],
    [{ jitter: 1 }, 'jitter: 1 given; a number from 0 to 0.9 is allowed.'],
    [{ jitter: 0.1 }, 'pass `random` too'],
  ])('an option out of its bounds is refused by name: %o', (options, message) => {
    expect(() => scriptedLoop(options)).toThrow(message);
  });
});

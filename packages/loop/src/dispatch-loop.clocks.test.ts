import { describe, expect, test } from 'vitest';
import { scriptedLoop } from './scripted-loop.fixture.js';

const DAY = 86_400_000;

describe('clocks', () => {
  test('[L9] intervals follow the monotonic clock: a jump of the wall clock moves no idle tick', async () => {
    for (const jump of [3_600_000, -3_600_000]) {
      const { loop, clock, gaps } = scriptedLoop();
      loop.start();
      await loop.settled();
      clock.jumpWall(jump);
      await clock.advance(7_000);
      expect(gaps()).toEqual([1_000, 2_000, 4_000]);
    }
  });

  test('[L9] due times follow the wall clock: set back, the timer waits on', async () => {
    const { loop, clock, times, wall } = scriptedLoop({ intervalMs: 60_000, maxIdleIntervalMs: 60_000 });
    loop.start();
    await loop.settled();
    loop.due(wall(1_000));
    clock.jumpWall(-500);
    await clock.advance(1_499);
    expect(times()).toEqual([0]);
    await clock.advance(1);
    expect(times()).toEqual([0, 1_500]);
  });

  test('[L9] a laptop that slept ticks once on resume, where the monotonic clock counted the sleep', async () => {
    const { loop, clock, ticks } = scriptedLoop({ intervalMs: 1_000, maxIdleIntervalMs: 1_000 });
    loop.start();
    await clock.advance(500);
    await clock.sleep(3_600_000, { monotonicMs: 3_600_000 });
    expect(ticks).toHaveLength(2);
    await clock.advance(999);
    expect(ticks).toHaveLength(2);
    await clock.advance(1); // control: it goes on from there
    expect(ticks).toHaveLength(3);
  });

  test('[L9] and after the rest of its timer, where it did not: due work in the same tick', async () => {
    const { loop, clock, ticks, wall } = scriptedLoop({ intervalMs: 1_000, maxIdleIntervalMs: 1_000 });
    loop.start();
    await clock.advance(500);
    loop.due(wall(1_800_000));
    await clock.sleep(3_600_000);
    await clock.advance(500);
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 1_000, hint: 'due' },
    ]);
  });

  test('[L9] waits over 24.8 days are made of several timers', async () => {
    const { loop, clock, ticks } = scriptedLoop({ intervalMs: 60 * DAY, maxIdleIntervalMs: 60 * DAY });
    loop.start();
    await clock.advance(60 * DAY - 1); // the clock itself refuses a longer timer
    expect(ticks).toHaveLength(1);
    await clock.advance(1);
    expect(ticks).toHaveLength(2);
  });

  test('[L10] counters tell ticks, idle level, wakes, coalesced wakes, errors and lateness', async () => {
    const { loop, clock, next } = scriptedLoop();
    expect(loop.counters()).toEqual({ ticks: 0, idleLevel: 0, wakes: 0, coalescedWakes: 0, errors: 0, lateness: null });
    next({ claimed: 1, latenessMs: 40 }, { claimed: 1, latenessMs: 5 }, () => Promise.reject(new Error('boom')), { claimed: 0 });
    loop.start();
    await loop.settled();
    loop.wake();
    loop.wake();
    await clock.advance(3_499);
    expect(loop.counters()).toEqual({ ticks: 4, idleLevel: 2, wakes: 2, coalescedWakes: 1, errors: 1, lateness: { lastMs: 5, maxMs: 40 } });
  });

  test('settled waits for what is owed at this instant, and for no timer', async () => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next({ claimed: 1, more: true }, { claimed: 1, more: true });
    loop.start();
    await loop.settled();
    expect(ticks).toHaveLength(3);
    loop.wake();
    await loop.settled();
    loop.wake(); // waits for the spacing
    await loop.settled();
    expect(ticks).toHaveLength(4);
    await clock.advance(10); // control
    expect(ticks).toHaveLength(5);
  });
});

import { describe, expect, test } from 'vitest';
import { lasting, scriptedLoop } from './scripted-loop.fixture.js';

describe('wake', () => {
  test('[L5] ticks in the same instant and resets the idle level', async () => {
    const { loop, clock, ticks } = scriptedLoop();
    loop.start();
    await clock.advance(8_000);
    expect(ticks.at(-1)?.at).toBe(7_000);
    loop.wake();
    await loop.settled();
    expect(ticks.at(-1)).toEqual({ at: 8_000, hint: 'wake' });
    await clock.advance(3_000);
    expect(ticks.slice(-2).map(({ at }) => at)).toEqual([9_000, 11_000]);
  });

  test('[L5] wakes of one turn of the event loop share a tick', async () => {
    const { loop, ticks } = scriptedLoop({ minWakeSpacingMs: 0 });
    loop.start();
    await loop.settled();
    for (let n = 0; n < 50; n += 1) loop.wake();
    await Promise.resolve();
    loop.wake();
    await loop.settled();
    expect(ticks).toHaveLength(2);
  });

  test('[L5] any number of wakes during a tick make one follow-up, which starts when it settles', async () => {
    const { loop, clock, ticks, next } = scriptedLoop({ minWakeSpacingMs: 0 });
    next(() => lasting(clock, 40));
    loop.start();
    await clock.advance(10);
    loop.wake();
    await clock.advance(10);
    loop.wake();
    loop.wake();
    await clock.advance(19);
    expect(ticks).toHaveLength(1);
    await clock.advance(500);
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 40, hint: 'wake' },
    ]);
    expect(loop.counters()).toMatchObject({ wakes: 3, coalescedWakes: 2 });
  });

  test('[L5] woken ticks keep their distance: the first at once, the rest collapse into one per spacing', async () => {
    const { loop, clock, times } = scriptedLoop();
    loop.start();
    await clock.advance(100);
    for (let ms = 0; ms < 40; ms += 2) {
      loop.wake();
      await clock.advance(2);
    }
    await clock.advance(10);
    expect(times()).toEqual([0, 100, 110, 120, 130, 140]);
  });

  test('[L5] the spacing holds for a follow-up of a woken tick', async () => {
    const { loop, clock, times, next } = scriptedLoop();
    loop.start();
    await clock.advance(100);
    next(() => lasting(clock, 3));
    loop.wake();
    await clock.advance(1);
    loop.wake();
    await clock.advance(20);
    expect(times()).toEqual([0, 100, 110]);
  });

  test('[L5] start, timer, refill and more ticks neither count for the spacing nor wait for it', async () => {
    const { loop, clock, ticks, next } = scriptedLoop({ intervalMs: 5, maxIdleIntervalMs: 5 });
    loop.start();
    await loop.settled();
    loop.wake(); // right after the start tick
    next({ claimed: 1, more: true }, { claimed: 1, full: true });
    await loop.settled(); // a more tick right after the woken one
    loop.refill(); // a refill tick right after that
    await clock.advance(5); // and a timer tick
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 0, hint: 'wake' },
      { at: 0, hint: 'more' },
      { at: 0, hint: 'refill' },
      { at: 5, hint: 'timer' },
    ]);
    loop.wake();
    await clock.advance(4);
    expect(ticks).toHaveLength(5); // control: a woken tick does wait for the woken one before
  });

  test('[L5] a tick that starts for another reason answers a wake that waits', async () => {
    const { loop, clock, times } = scriptedLoop({ minWakeSpacingMs: 60_000, intervalMs: 100, maxIdleIntervalMs: 100 });
    loop.start();
    await loop.settled();
    loop.wake();
    await loop.settled();
    loop.wake();
    await clock.advance(100);
    expect(times()).toEqual([0, 0, 100]);
    loop.wake(); // not one with the wake that was answered
    expect(loop.counters().coalescedWakes).toBe(0);
  });

  test('[L5] a due time that has come outranks a wake, because a claim in haste may not reach its work', async () => {
    const { loop, hints, wall } = scriptedLoop();
    loop.start();
    await loop.settled();
    loop.due(wall(0));
    loop.wake();
    await loop.settled();
    expect(hints()).toEqual(['start', 'due']);
  });

  test('[L5] before start and after stop a wake does nothing', async () => {
    const { loop, clock, ticks } = scriptedLoop();
    loop.wake();
    await loop.settled();
    expect(ticks).toHaveLength(0);
    loop.start();
    await loop.settled();
    await loop.stop();
    loop.wake();
    await clock.advance(60_000);
    expect(ticks).toHaveLength(1);
    expect(loop.counters().wakes).toBe(0);
  });
});

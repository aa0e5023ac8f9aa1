import { describe, expect, test } from 'vitest';
import { scriptedLoop } from './scripted-loop.fixture.js';

const boom = () => Promise.reject(new Error('store is down'));

describe('failing ticks', () => {
  test('[L6] a tick that throws is reported and counts as idle; nothing ends the loop', async () => {
    const { loop, clock, gaps, errors, next } = scriptedLoop();
    next(boom, boom, boom);
    loop.start();
    await clock.advance(15_000);
    expect(gaps()).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(errors).toHaveLength(3);
    expect(loop.counters().errors).toBe(3);
  });

  test('[L6] failed parts count as idle and are each reported, whatever else was claimed', async () => {
    const { loop, clock, gaps, errors, next } = scriptedLoop();
    next({ claimed: 0 }, { claimed: 3, failed: ['partition 1', 'partition 2'] }, { claimed: 3, failed: [] });
    loop.start();
    await clock.advance(4_000);
    expect(errors).toEqual(['partition 1', 'partition 2']);
    expect(gaps()).toEqual([1_000, 2_000, 500]);
  });

  test('[L6] a wake owed to a failing tick stays owed: 0.5, 1, 2, 4, 5, 5 s until one succeeds', async () => {
    const { loop, clock, ticks, gaps, next } = scriptedLoop();
    loop.start();
    await clock.advance(500);
    next(boom, boom, boom, boom, boom, boom, boom, { claimed: 1 });
    loop.wake();
    await clock.advance(18_500);
    expect(gaps().slice(1)).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(ticks.slice(2).every(({ hint }) => hint === 'retry')).toBe(true);
    await clock.advance(3_999);
    expect(ticks).toHaveLength(8);
    await clock.advance(1);
    expect(ticks).toHaveLength(9); // succeeds
    await clock.advance(1_500);
    expect(gaps().slice(-2)).toEqual([500, 1_000]); // and the loop is an ordinary one again
    next(boom, boom);
    loop.wake();
    await clock.advance(1_500);
    expect(gaps().slice(-3)).toEqual([0, 500, 1_000]); // whose next failure is a first one
  });

  test('[L6] with an interval above 5 s the retry still comes within 5 s', async () => {
    const { loop, clock, gaps, next } = scriptedLoop({ intervalMs: 60_000, maxIdleIntervalMs: 60_000 });
    loop.start();
    await loop.settled();
    next(boom);
    loop.wake();
    await clock.advance(5_000);
    expect(gaps()).toEqual([0, 5_000]);
  });

  test.each([
    ['a due time', { claimed: 0, nextDueAt: 1_000_100 }, 100],
    ['more', { claimed: 1, more: true }, 0],
  ] as const)('[L6] %s owed to a failing tick stays owed', async (_what, first, at) => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next(first, boom);
    loop.start();
    await clock.advance(at + 500);
    expect(ticks.slice(1)).toEqual([
      { at, hint: at === 0 ? 'more' : 'due' },
      { at: at + 500, hint: 'retry' },
    ]);
  });

  test('[L6] a freed slot owed to a failing tick stays owed', async () => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next({ claimed: 1, full: true }, boom);
    loop.start();
    await loop.settled();
    loop.refill();
    await clock.advance(500);
    expect(ticks.map(({ hint }) => hint)).toEqual(['start', 'refill', 'retry']);
  });

  test('[L6] a wake during a failing tick is owed in its own right, at once', async () => {
    const { loop, ticks, next } = scriptedLoop();
    next(() => {
      loop.wake();
      return boom();
    });
    loop.start();
    await loop.settled();
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 0, hint: 'wake' },
    ]);
  });

  test('[L6] a failed part does not hold up the parts that have more', async () => {
    const { loop, times, next } = scriptedLoop();
    next({ claimed: 32, more: true, failed: ['partition 1'] });
    loop.start();
    await loop.settled();
    expect(times()).toEqual([0, 0]);
  });

  test('[L6] a hook that throws, or rejects, ends nothing', async () => {
    for (const onTickError of [
      () => {
        throw new Error('hook');
      },
      () => Promise.reject(new Error('hook')),
    ]) {
      const { loop, clock, times, next } = scriptedLoop({ onTickError });
      next(boom);
      loop.start();
      await clock.advance(1_000);
      expect(times()).toEqual([0, 1_000]);
    }
  });

  test('[L6] a tick that returns nothing is an error like any other', async () => {
    const { loop, clock, times, errors, next } = scriptedLoop();
    next(() => undefined as never);
    loop.start();
    await clock.advance(1_000);
    expect(errors).toHaveLength(1);
    expect(times()).toEqual([0, 1_000]);
  });
});

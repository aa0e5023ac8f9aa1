import { describe, expect, test } from 'vitest';
import { scriptedLoop } from './scripted-loop.fixture.js';

describe('full batches and full pools', () => {
  test('[L2a] a full batch with room left is followed at once, until one is not', async () => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next({ claimed: 32, more: true }, { claimed: 32, more: true }, { claimed: 5 });
    loop.start();
    await clock.advance(499);
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 0, hint: 'more' },
      { at: 0, hint: 'more' },
    ]);
  });

  test('[L2a] between two such ticks the event loop turns', async () => {
    const { loop, next, ticks } = scriptedLoop();
    const seen: number[] = [];
    const step = () => {
      setImmediate(() => seen.push(ticks.length));
      return { claimed: 1, more: ticks.length < 4 };
    };
    next(step, step, step, step);
    loop.start();
    await loop.settled();
    expect(seen).toEqual([1, 2, 3]);
  });

  test('[L2a] `more` without a claim is no reason to spin', async () => {
    const { loop, clock, times, next } = scriptedLoop();
    next({ claimed: 0, more: true });
    loop.start();
    await clock.advance(1_000);
    expect(times()).toEqual([0, 1_000]);
  });

  test('[L2b] with no room left nothing spins, and the first freed slot ticks at once', async () => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next({ claimed: 16, full: true });
    loop.start();
    await clock.advance(100);
    expect(ticks).toHaveLength(1);
    loop.refill();
    loop.refill();
    await loop.settled();
    expect(ticks.slice(1)).toEqual([{ at: 100, hint: 'refill' }]);
    loop.refill(); // control: the last tick had room, so a freed slot is no news
    await loop.settled();
    expect(ticks).toHaveLength(2);
  });

  test('[L2b] a slot freed while the tick ran counts; one freed before it does not', async () => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next(() => {
      loop.refill();
      return { claimed: 16, full: true };
    });
    loop.refill();
    loop.start();
    await loop.settled();
    expect(ticks.map(({ hint }) => hint)).toEqual(['start', 'refill']);
    loop.refill();
    next({ claimed: 16, full: true });
    await clock.advance(1_000);
    expect(ticks.map(({ hint }) => hint)).toEqual(['start', 'refill', 'timer']);
  });

  test('[L2b] a due time that passes while there is no room ticks once, not again and again', async () => {
    const { loop, clock, times, next, wall } = scriptedLoop();
    const full = { claimed: 0, full: true };
    next({ ...full, nextDueAt: wall(200) }, full, full, full);
    loop.start();
    await clock.advance(1_000);
    expect(times()).toEqual([0, 200]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('store is down'))],
    ['fails in part', () => ({ claimed: 0, failed: ['partition 1'] })],
  ])('[L2b] a tick that %s does not forget that there was no room', async (_how, fails) => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next({ claimed: 16, full: true }, fails);
    loop.start();
    await clock.advance(500);
    expect(ticks).toHaveLength(2);
    loop.refill();
    await loop.settled();
    expect(ticks.slice(2)).toEqual([{ at: 500, hint: 'refill' }]);
  });
});

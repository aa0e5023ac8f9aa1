import { describe, expect, test } from 'vitest';
import { deferred } from './deferred.js';
import type { TickResult } from './loop-options.js';
import { lasting, scriptedLoop } from './scripted-loop.fixture.js';
import { watched } from './watched.fixture.js';

describe('stop', () => {
  test('[L8] forgets timer, wakes and due times', async () => {
    for (const stops of [true, false]) {
      const { loop, clock, ticks, wall } = scriptedLoop({ minWakeSpacingMs: 1_000 });
      loop.start();
      await loop.settled();
      loop.wake();
      await loop.settled();
      loop.wake();
      loop.due(wall(100));
      if (stops) await loop.stop();
      if (stops) expect(clock.nextTimerAt()).toBeNull();
      await clock.advance(60_000);
      if (stops) expect(ticks).toHaveLength(2);
      else expect(ticks.length).toBeGreaterThan(2); // control
    }
  });

  test('[L8] a restart knows nothing of the wakes and due times before', async () => {
    for (const stops of [true, false]) {
      const { loop, clock, ticks, next, wall } = scriptedLoop({ minWakeSpacingMs: 200 });
      loop.start();
      await loop.settled();
      loop.due(wall(400));
      loop.wake();
      await loop.settled();
      loop.due(wall(600));
      loop.wake();
      if (stops) await loop.stop();
      next(() => Promise.reject(new Error('store is down'))); // which nothing was owed to
      loop.start();
      await clock.advance(999);
      const later = ticks.slice(2).map(({ at, hint }) => `${hint} at ${at}`);
      if (stops) expect(later).toEqual(['start at 0']);
      else expect(later).toEqual(['wake at 200', 'retry at 400', 'due at 600']); // control
    }
  });

  test('[L8] a tick that was about to start does not', async () => {
    const { loop, clock, ticks } = scriptedLoop();
    loop.start();
    await loop.stop();
    await clock.advance(1_000);
    expect(ticks).toEqual([]);
    await loop.settled();
  });

  test('[L8] tells the running tick to claim no more, and waits for it', async () => {
    const { loop, clock, next, ticks } = scriptedLoop();
    let signal: AbortSignal | undefined;
    next((given) => {
      signal = given;
      return lasting(clock, 100, { claimed: 1, more: true });
    });
    loop.start();
    await clock.advance(10);
    expect(signal?.aborted).toBe(false);
    const stop = watched(loop.stop());
    expect(signal?.aborted).toBe(true);
    await clock.advance(89);
    expect(stop.ended).toBe(false);
    await clock.advance(1);
    expect(stop.ended).toBe(true);
    await clock.advance(60_000);
    expect(ticks).toHaveLength(1);
  });

  test('[L8] a tick that outlives the deadline is left behind, and a restart waits for it', async () => {
    for (const found of [{ claimed: 1, more: true, nextDueAt: 0 }, { claimed: 0 }]) {
      const { loop, clock, next, ticks, mostAtOnce } = scriptedLoop();
      const hung = deferred<TickResult>();
      next(() => hung.promise);
      loop.start();
      await clock.advance(10);
      const stop = watched(loop.stop({ deadlineMs: 200 }));
      await clock.advance(199);
      expect(stop.ended).toBe(false);
      await clock.advance(1);
      expect(stop.ended).toBe(true);
      loop.start();
      await clock.advance(60_000);
      expect(ticks).toHaveLength(1);
      hung.resolve(found);
      await clock.advance(1_000);
      expect(ticks.slice(1)).toEqual([
        { at: 60_210, hint: 'start' },
        { at: 61_210, hint: 'timer' }, // as after a first idle tick: what the one left behind found concerns nobody
      ]);
      expect(mostAtOnce()).toBe(1);
    }
  });

  test('[L8] a public tick that waits for the running one finds nothing', async () => {
    const { loop, clock, next, ticks } = scriptedLoop();
    next(() => lasting(clock, 100, { claimed: 1 }));
    loop.start();
    await clock.advance(10);
    const found: TickResult[] = [];
    void loop.tick().then((result) => found.push(result));
    const stop = watched(loop.stop());
    await clock.advance(0);
    expect(found).toEqual([{ claimed: 0 }]);
    await clock.advance(1_000);
    expect(stop.ended).toBe(true);
    expect(ticks).toHaveLength(1);
  });

  test('[L8] is idempotent, and the loop can be started again, its backoff forgotten', async () => {
    const { loop, clock, gaps } = scriptedLoop();
    loop.start();
    await clock.advance(7_000);
    await Promise.all([loop.stop(), loop.stop()]);
    await loop.stop();
    loop.start();
    await clock.advance(1_000);
    expect(gaps()).toEqual([1_000, 2_000, 4_000, 0, 1_000]);
  });

  test('[L8] refuses a deadline that is none', async () => {
    const { loop } = scriptedLoop();
    await expect(loop.stop({ deadlineMs: -1 })).rejects.toThrow('deadlineMs: -1 given; a number from 0 to 2147483647 is allowed.');
  });
});

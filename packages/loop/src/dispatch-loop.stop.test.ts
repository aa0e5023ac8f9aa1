import { describe, expect, test } from 'vitest';
import { deferred } from './deferred.js';
import type { TickResult } from './loop-options.js';
import { lasting, scriptedLoop } from './scripted-loop.fixture.js';

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
      await clock.advance(60_000);
      if (stops) expect(ticks).toHaveLength(2);
      else expect(ticks.length).toBeGreaterThan(2); // control
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
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    expect(signal?.aborted).toBe(true);
    await clock.advance(89);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await stopping;
    await clock.advance(60_000);
    expect(ticks).toHaveLength(1);
  });

  test('[L8] a tick that outlives the deadline is left behind, and a restart waits for it', async () => {
    const { loop, clock, next, ticks, mostAtOnce } = scriptedLoop();
    const hung = deferred<TickResult>();
    next(() => hung.promise);
    loop.start();
    await clock.advance(10);
    const stopping = loop.stop({ deadlineMs: 200 });
    await clock.advance(200);
    await stopping;
    loop.start();
    await clock.advance(60_000);
    expect(ticks).toHaveLength(1);
    hung.resolve({ claimed: 1, more: true, nextDueAt: 0 });
    await clock.advance(999);
    expect(ticks.slice(1)).toEqual([{ at: 60_210, hint: 'start' }]);
    expect(mostAtOnce()).toBe(1);
  });

  test('[L8] a public tick that waits for the running one finds nothing', async () => {
    const { loop, clock, next, ticks } = scriptedLoop();
    next(() => lasting(clock, 100, { claimed: 1 }));
    loop.start();
    await clock.advance(10);
    const waiting = loop.tick();
    const stopping = loop.stop();
    expect(await waiting).toEqual({ claimed: 0 });
    await clock.advance(1_000);
    await stopping;
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

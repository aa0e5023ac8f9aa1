import { systemClock } from '@bellhop/kernel';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DispatchLoop } from './dispatch-loop.js';
import type { TickResult } from './loop-options.js';
import { lasting, scriptedLoop } from './scripted-loop.fixture.js';

describe('start and the public tick', () => {
  test('[L1] start ticks at once, and a second start changes nothing', async () => {
    const { loop, clock, ticks } = scriptedLoop();
    expect(ticks).toEqual([]);
    loop.start();
    loop.start();
    await loop.settled();
    expect(ticks).toEqual([{ at: 0, hint: 'start' }]);
    loop.start();
    await clock.advance(999);
    expect(ticks).toHaveLength(1);
  });

  test('[L1] the delay is measured from the start of a tick, so a slow one does not shift the next', async () => {
    const { loop, clock, times, next } = scriptedLoop();
    next(() => lasting(clock, 300, { claimed: 1 }), { claimed: 1 });
    loop.start();
    await clock.advance(1_000);
    expect(times()).toEqual([0, 500, 1_000]);
  });

  test('[L1] a tick that lasts longer than the delay is followed at once', async () => {
    const { loop, clock, times, mostAtOnce, next } = scriptedLoop();
    next(() => lasting(clock, 700, { claimed: 1 }));
    loop.start();
    await clock.advance(800);
    expect(times()).toEqual([0, 700]);
    expect(mostAtOnce()).toBe(1);
  });

  test('[L1] never two ticks at once, the public tick included; callers that wait share one', async () => {
    const { loop, clock, ticks, mostAtOnce, next } = scriptedLoop();
    next(() => lasting(clock, 50), { claimed: 7 });
    loop.start();
    await clock.advance(10);
    const results: TickResult[] = [];
    for (let caller = 0; caller < 2; caller += 1) void loop.tick().then((result) => results.push(result));
    await clock.advance(39);
    expect(ticks).toHaveLength(1);
    await clock.advance(1);
    expect(results).toEqual([{ claimed: 7 }, { claimed: 7 }]);
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 50, hint: 'manual' },
    ]);
    expect(mostAtOnce()).toBe(1);
  });

  test('[L1] the public tick works on a loop that does not run, and leaves no timer behind', async () => {
    const { loop, clock, ticks, next } = scriptedLoop();
    next({ claimed: 3, more: true, nextDueAt: 5 });
    expect(await loop.tick()).toEqual({ claimed: 3, more: true, nextDueAt: 5 });
    await loop.settled();
    expect(ticks).toHaveLength(1);
    expect(clock.nextTimerAt()).toBeNull();
    loop.start(); // control: a loop that runs does arm one
    await loop.settled();
    expect(clock.nextTimerAt()).not.toBeNull();
  });

  test('[L1] the public tick answers for a tick that is about to start', async () => {
    const { loop, clock, ticks } = scriptedLoop();
    loop.start();
    await loop.tick();
    await clock.advance(0);
    expect(ticks).toEqual([{ at: 0, hint: 'manual' }]);
  });

  test('[L1] the public tick rejects with what its tick threw', async () => {
    const boom = new Error('boom');
    const { loop, errors, next } = scriptedLoop();
    next(() => Promise.reject(boom));
    await expect(loop.tick()).rejects.toBe(boom);
    expect(errors).toEqual([boom]);
    expect(await loop.tick()).toEqual({ claimed: 0 });
  });

  test('[L1] a loop that waits keeps no process alive', async () => {
    const DAY = 86_400_000;
    const armed = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => armed.mockRestore());
    // The test runner's own timers are of seconds.
    const keepAlive = () =>
      armed.mock.calls.flatMap(([, ms], index) => ((ms ?? 0) > DAY / 2 ? [armed.mock.results[index]?.value.hasRef()] : []));
    const loop = new DispatchLoop({
      clock: systemClock,
      intervalMs: DAY,
      maxIdleIntervalMs: DAY,
      onTickError: () => {},
      tick: () => ({ claimed: 0 }),
    });
    onTestFinished(() => loop.stop());
    loop.start();
    await loop.settled();
    expect(keepAlive()).toEqual([false]);
    const control = setTimeout(() => {}, DAY);
    expect(keepAlive()).toEqual([false, true]);
    clearTimeout(control);
  });
});

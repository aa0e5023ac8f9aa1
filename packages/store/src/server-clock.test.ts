import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { ServerClock } from './server-clock.js';

const SERVER_AHEAD_MS = 3_600_000;

/** A manual clock that passes for the machine's own, which may be corrected. */
function machine() {
  const manual = new ManualClock({ now: 1_000_000 });
  const base = {
    now: () => manual.now(),
    monotonic: () => manual.monotonic(),
    setTimeout: (fn: () => void, delayMs: number) => manual.setTimeout(fn, delayMs),
  };
  let server = manual.now() + SERVER_AHEAD_MS;
  let asked = 0;
  const start = manual.monotonic();
  const clock = new ServerClock(base, async () => {
    asked += 1;
    return server + (manual.monotonic() - start);
  });
  return {
    manual,
    clock,
    asked: () => asked,
    moveServer: (ms: number) => {
      server += ms;
    },
  };
}

describe('server clock', () => {
  it('follows the server and tells the offset', async () => {
    const { manual, clock } = machine();
    expect(clock.now()).toBe(1_000_000);
    await clock.measure();
    expect(clock.now()).toBe(1_000_000 + SERVER_AHEAD_MS);
    await manual.advance(5_000);
    expect(clock.now()).toBe(1_005_000 + SERVER_AHEAD_MS);
    expect(clock.offsetMs()).toBe(SERVER_AHEAD_MS);
  });

  it.each([86_400_000, -86_400_000])(
    'is not moved by a jump of the machine by %i ms, asks the server again, and tells the new offset',
    async (jump) => {
      const { manual, clock, asked } = machine();
      await clock.measure();
      manual.jumpWall(jump);
      expect(clock.now()).toBe(1_000_000 + SERVER_AHEAD_MS);
      expect(clock.offsetMs()).toBe(SERVER_AHEAD_MS - jump);
      await Promise.resolve();
      expect(asked()).toBe(2);
      await clock.measure();
      expect(clock.now()).toBe(1_000_000 + SERVER_AHEAD_MS);
    },
  );

  it('asks nothing while the two clocks run together', async () => {
    const { manual, clock, asked } = machine();
    await clock.measure();
    for (let hour = 0; hour < 48; hour += 1) {
      await manual.advance(3_600_000);
      clock.now();
    }
    expect(asked()).toBe(1);
  });

  it('never corrects a clock that is moved by hand', async () => {
    const manual = new ManualClock({ now: 5_000 });
    let asked = 0;
    const clock = new ServerClock(manual, async () => {
      asked += 1;
      return 9_000;
    });
    await clock.measure();
    expect(clock.now()).toBe(5_000);
    expect(clock.offsetMs()).toBe(0);
    expect(asked).toBe(0);
  });
});

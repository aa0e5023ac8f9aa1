import type { Clock, Random, Timer } from './clock.js';

/** The machine's own clocks. The only place in the source that may touch them (a lint rule sees to it). */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(fn, delayMs): Timer {
    const handle = setTimeout(fn, delayMs);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

export const systemRandom: Random = () => Math.random();

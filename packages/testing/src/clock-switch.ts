import type { Clock } from '@bellhop/kernel';
import { ManualClock } from './manual-clock.js';

export interface ClockSwitch {
  /** Tells the time of the clock chosen last. Manual. */
  readonly clock: Clock;
  /** From here on `clock` tells the time of this one; timers that were set stay with the clock they were set on. */
  choose(clock: Clock): void;
}

/** A clock for what is opened once and outlives a test, such as a store on a database that is dear to make, while each test has a clock of its own. */
export function clockSwitch(): ClockSwitch {
  let current: Clock = new ManualClock();
  return {
    clock: {
      manual: true,
      now: () => current.now(),
      monotonic: () => current.monotonic(),
      setTimeout: (fn, delayMs) => current.setTimeout(fn, delayMs),
    },
    choose(clock) {
      current = clock;
    },
  };
}

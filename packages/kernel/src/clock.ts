import { token } from './token.js';

/** A timer armed on a {@link Clock}. */
export interface Timer {
  /** Disarms the timer; harmless after it fired. */
  cancel(): void;
}

/**
 * The only source of time in Bellhop. Intervals are measured with `monotonic`, due times with `now`; tests bind a clock they move by hand.
 */
export interface Clock {
  /** Wall-clock time in epoch milliseconds. May jump either way. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back. */
  monotonic(): number;
  /**
   * Runs `fn` once, `delayMs` from now on the monotonic clock. Never keeps the process alive.
   *
   * @param delayMs 0 to 2 147 483 647; a longer wait is the caller's to chunk.
   */
  setTimeout(fn: () => void, delayMs: number): Timer;
  /** True for a clock that is moved by hand: stores never correct it by the server's time. */
  readonly manual?: boolean;
}

/** A source of randomness in [0, 1), injected so that tests can fix it. */
export type Random = () => number;

export const CLOCK = token<Clock>('CLOCK');
export const RANDOM = token<Random>('RANDOM');

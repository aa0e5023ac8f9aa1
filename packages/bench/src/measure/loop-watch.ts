import { monotonicMs } from './monotonic.js';

/** Tells for how long the event loop did not get its turn, at the most, since it was made. */
export class LoopWatch {
  #longestMs = 0;
  #lastAt = monotonicMs();
  #over = false;

  constructor() {
    this.#turn();
  }

  /** @returns milliseconds of the longest time between two turns. */
  stop(): number {
    this.#note();
    this.#over = true;
    return this.#longestMs;
  }

  #turn(): void {
    setImmediate(() => {
      if (this.#over) return;
      this.#note();
      this.#turn();
    });
  }

  #note(): void {
    const now = monotonicMs();
    this.#longestMs = Math.max(this.#longestMs, now - this.#lastAt);
    this.#lastAt = now;
  }
}

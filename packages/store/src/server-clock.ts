import type { Clock, Timer } from '@bellhop/kernel';

/** Wall and monotonic time that drift apart by more than this mean that one of them jumped: the server is asked again. */
const JUMP_MS = 1_000;

/**
 * A clock that follows a database server's time: what the server said, plus the monotonic time since. A machine whose clock is wrong, or
 * jumps, still agrees with every other node of the database. A clock moved by hand is never corrected.
 */
export class ServerClock implements Clock {
  readonly manual: boolean;
  readonly #base: Clock;
  readonly #askServer: () => Promise<number>;
  #server = 0;
  #wall = 0;
  #monotonic = 0;
  #measured = false;
  #measuring: Promise<void> | undefined;

  /** @param askServer the server's time in epoch milliseconds. */
  constructor(base: Clock, askServer: () => Promise<number>) {
    this.#base = base;
    this.#askServer = askServer;
    this.manual = base.manual === true;
  }

  now(): number {
    if (this.manual || !this.#measured) return this.#base.now();
    const sinceMonotonic = this.#base.monotonic() - this.#monotonic;
    const sinceWall = this.#base.now() - this.#wall;
    // A laptop that slept may have stopped the monotonic clock; only the server knows. Until it answers, the earlier time is the safe one.
    if (Math.abs(sinceWall - sinceMonotonic) > JUMP_MS) void this.measure().catch(() => {});
    return Math.round(this.#server + sinceMonotonic);
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  setTimeout(fn: () => void, delayMs: number): Timer {
    return this.#base.setTimeout(fn, delayMs);
  }

  /** Server time minus this machine's, in milliseconds, now. */
  offsetMs(): number {
    return this.manual || !this.#measured ? 0 : Math.round(this.now() - this.#base.now());
  }

  /** Asks the server, taking the middle of the exchange as the moment of its answer. Calls at one time share one question. */
  measure(): Promise<void> {
    if (this.manual) return Promise.resolve();
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #measure(): Promise<void> {
    const asked = this.#base.monotonic();
    const server = await this.#askServer();
    const answered = this.#base.monotonic();
    this.#monotonic = answered;
    this.#wall = this.#base.now();
    this.#server = server + (answered - asked) / 2;
    this.#measured = true;
  }
}

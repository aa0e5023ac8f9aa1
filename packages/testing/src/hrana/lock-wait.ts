/**
 * Waiting for SQLite's write lock without blocking the event loop. A lock held by a stream of this server is awaited by event; one held by
 * another process can only be asked for again, every few milliseconds of real time. The deadline is the Clock's.
 */
// Not the globals: the poll stays real under a test's fake timers.
import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock } from '@bellhop/kernel';
import { isHeldLock } from './connection.js';

const FOREIGN_LOCK_POLL_MS = 10;

export class LockWait {
  readonly #clock: Clock;
  readonly #busyTimeoutMs: number;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(clock: Clock, busyTimeoutMs: number) {
    this.#clock = clock;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Runs `attempt`, again and again while it fails for a held lock, until the busy timeout has passed or the server closes. */
  async run<T>(attempt: () => T): Promise<T> {
    const deadline = this.#clock.monotonic() + this.#busyTimeoutMs;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isHeldLock(error) || this.#closed || this.#clock.monotonic() >= deadline) throw error;
      }
      await this.#change();
    }
  }

  /** A transaction of this server ended: whoever waits asks again. */
  released(): void {
    for (const resolve of this.#waiting) resolve();
  }

  close(): void {
    this.#closed = true;
    this.released();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, FOREIGN_LOCK_POLL_MS);
      this.#waiting.add(done);
    });
  }
}

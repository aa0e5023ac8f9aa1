import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, StoreError, systemClock } from '@bellhop/kernel';

/** Milliseconds in line for the connection at most. A holder that never ends is a mistake in the program; waiting for it would hide that. */
const LINE_WAIT_MS = 60_000;

interface Waiting {
  readonly resolve: () => void;
  readonly giveUp: () => void;
}

/**
 * First come, first served access to the one connection of an embedded database. While a transaction is open on it, everything else
 * waits here, in memory: a statement that slipped in would read uncommitted rows, and be rolled back with them.
 *
 * Code that runs inside the transaction and forgot to pass it would wait for itself; the gate knows the caller's asynchronous context
 * and refuses such a call at once. A transaction that was begun without a callback has no such context: who waits for that one too long
 * is told what may be wrong.
 */
export class ConnectionGate {
  #held = false;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  readonly #context = new AsyncLocalStorage<{ open: boolean }>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** True when nobody holds the connection, so that a synchronous driver may run without waiting. */
  get free(): boolean {
    return !this.#held;
  }

  /**
   * @throws StoreError `TRX_REQUIRED` in the context of the open transaction, `STORE_BUSY` after 60 s in line.
   */
  acquire(): Promise<void> {
    try {
      this.assertNotInside();
    } catch (error) {
      return Promise.reject(error);
    }
    if (!this.#held) {
      this.#held = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => {
        timer.cancel();
        this.#waiting.delete(waiting);
        outcome();
      };
      const waiting: Waiting = { resolve: () => settle(resolve), giveUp: () => settle(() => reject(stuckError())) };
      const timer = this.#clock.setTimeout(waiting.giveUp, LINE_WAIT_MS);
      this.#waiting.add(waiting);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) next.resolve();
    else this.#held = false;
  }

  assertNotInside(): void {
    if (this.#context.getStore()?.open) {
      throw new StoreError(
        'TRX_REQUIRED',
        'This call runs inside an open transaction of the same database but was not given it, so it would wait for itself. ' +
          'Pass the transaction on (`{ trx }`, or `trx(...)` for a query), or make the call after the transaction.',
      );
    }
  }

  /** Runs the body of a transaction so that calls made from it are recognised until it settles. */
  inside<T>(body: () => T): T {
    const context = { open: true };
    const result = this.#context.run(context, body);
    const end = () => {
      context.open = false;
    };
    if (result instanceof Promise) result.then(end, end);
    else end();
    return result;
  }
}

function stuckError(): StoreError {
  return new StoreError(
    'STORE_BUSY',
    `A transaction of this process has kept the database for ${LINE_WAIT_MS / 1_000} s. Nothing was written. ` +
      'Commit or roll back every transaction that is begun without a callback, pass `trx` to the calls made meanwhile, and keep transactions short.',
  );
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreError } from '@bellhop/kernel';

/**
 * First come, first served access to the one connection of an embedded database. While a transaction is open on it, everything else
 * waits here, in memory: a statement that slipped in would read uncommitted rows, and be rolled back with them.
 *
 * Code that runs inside the transaction and forgot to pass it would wait for itself; the gate knows the caller's asynchronous context
 * and refuses such a call at once.
 */
export class ConnectionGate {
  #held = false;
  #closed = false;
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  readonly #context = new AsyncLocalStorage<{ open: boolean }>();

  /** True when nobody holds the connection, so that a synchronous driver may run without waiting. */
  get free(): boolean {
    return !this.#held && !this.#closed;
  }

  /** @throws StoreError `TRX_REQUIRED` in the context of the open transaction, `STORE_CLOSED` after `close`. */
  acquire(): Promise<void> {
    try {
      this.assertNotInside();
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#closed) return Promise.reject(closedError());
    if (!this.#held) {
      this.#held = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  release(): void {
    const next = this.#waiting.shift();
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

  /** Waits for the holder and everyone in line, then refuses whoever comes later. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.acquire();
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closedError());
  }
}

function closedError(): StoreError {
  return new StoreError('STORE_CLOSED', 'The store is closed. Nothing was written.');
}

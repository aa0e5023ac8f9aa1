import { closedError } from './closed-error.js';

/** What a store is busy with, so that its close can wait for all of it and refuse whatever comes later. */
export class UnderWay {
  #count = 0;
  #closed = false;
  #settled: Promise<void> | undefined;
  #settle = () => {};

  get closed(): boolean {
    return this.#closed;
  }

  /** Follow it with one `end`. @throws StoreError `STORE_CLOSED`. */
  begin(): void {
    if (this.#closed) throw closedError();
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#settle();
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Resolves when everything that was begun has ended; every call with the first. */
  close(): Promise<void> {
    this.#closed = true;
    this.#settled ??= new Promise((resolve) => {
      this.#settle = resolve;
      if (this.#count === 0) resolve();
    });
    return this.#settled;
  }
}

import type { Store } from '@bellhop/contracts';
import { faultKind } from './store-faults.js';

export interface GroupCommitOptions<Call, Result> {
  /** The store that `commit` writes to. */
  readonly store: Pick<Store, 'assertOutsideTransaction'>;
  /** Writes the calls in one transaction; results in their order. */
  readonly commit: (calls: readonly Call[]) => Promise<readonly Result[]>;
  /** Rows a call writes, for the cut below. Default 1 each. */
  readonly weigh?: (call: Call) => number;
  /** Rows in one transaction at most, unless a single call has more. Default 1 000. */
  readonly maxRows?: number;
  /**
   * Groups under way at once. Default 1: the next one gathers meanwhile, which is what makes it large. More where a group may wait for a lock of
   * somebody else's, as it does for a taken key on Postgres: those behind it need not wait too.
   */
  readonly concurrency?: number;
}

interface Pending<Call, Result> {
  readonly call: Call;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets the calls of one microtask turn share a transaction. Each promise settles only after its commit. When a group fails, its calls are
 * retried one transaction each, so that a bad one fails alone; a call is never split. When the store cannot be reached all fail at once.
 */
export class GroupCommit<Call, Result> {
  readonly #options: GroupCommitOptions<Call, Result>;
  #pending: Pending<Call, Result>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<Call, Result>) {
    this.#options = options;
  }

  /** @throws BellhopError `TRX_REQUIRED` from inside an open transaction of a SQLite store: the group would wait for it, and it for the group. */
  async submit(call: Call): Promise<Result> {
    this.#options.store.assertOutsideTransaction();
    return new Promise<Result>((resolve, reject) => {
      this.#pending.push({ call, resolve, reject });
      // nextTick runs when the microtasks at hand are done: calls made by every continuation of this turn are in by then.
      this.#schedule(process.nextTick);
    });
  }

  #schedule(soon: (drain: () => void) => void): void {
    if (this.#scheduled || this.#pending.length === 0 || this.#running >= (this.#options.concurrency ?? 1)) return;
    this.#scheduled = true;
    soon(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    this.#scheduled = false;
    this.#running += 1;
    const group = this.#nextGroup();
    // What did not fit needs no later turn to start where groups may run side by side.
    this.#schedule(setImmediate);
    await this.#commitGroup(group);
    this.#running -= 1;
    // A turn of the event loop lies between two groups: on a synchronous driver nothing else would run until the last of them, leases would
    // lapse unrenewed and requests go unanswered.
    this.#schedule(setImmediate);
  }

  #nextGroup(): Pending<Call, Result>[] {
    const { weigh = () => 1, maxRows = 1_000 } = this.#options;
    let rows = 0;
    let size = 0;
    for (const { call } of this.#pending) {
      rows += weigh(call);
      if (size > 0 && rows > maxRows) break;
      size += 1;
    }
    return this.#pending.splice(0, size);
  }

  async #commitGroup(group: Pending<Call, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(group.map(({ call }) => call));
      group.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      const kind = faultKind(error);
      if (group.length === 1 || kind === 'connection' || kind === 'busy') {
        for (const { reject } of group) reject(error);
        return;
      }
      for (const one of group) await this.#commitGroup([one]);
    }
  }
}

import type { Transaction } from '@bellhop/contracts';

/**
 * Transactions without a database, for parts that join one only through `afterCommit` (the memory stores): what a store promises about
 * the order of commit and callbacks, and nothing else. The transaction object itself has no members.
 */
export class ManualTransactions {
  readonly #pending = new WeakMap<Transaction, (() => void)[]>();

  /** Committed when `fn` resolves: then the callbacks run, in order. Rolled back when it rejects: they never run. */
  readonly transaction = async <T>(fn: (trx: Transaction) => Promise<T>): Promise<T> => {
    const trx = Object.freeze({}) as Transaction;
    const callbacks: (() => void)[] = [];
    this.#pending.set(trx, callbacks);
    const result = await fn(trx);
    for (const callback of callbacks) callback();
    return result;
  };

  readonly afterCommit = (trx: Transaction, fn: () => void): void => {
    const callbacks = this.#pending.get(trx);
    if (!callbacks) throw new Error('afterCommit: not a transaction of this ManualTransactions.');
    callbacks.push(fn);
  };
}

import type { Knex } from 'knex';

/**
 * An open transaction: what `store.transaction(fn)` hands to `fn`, or one that the application began on the knex instance it gave to the store.
 * It is a full knex query builder; `emit` and `publish` take it as `{ trx }` and commit, or vanish, with it.
 */
export type Transaction = Knex.Transaction;

/** The option of every call that can join the caller's transaction. */
export interface TransactionOption {
  /** Join this transaction. Wakes are sent after its root commits, never after a rollback. */
  readonly trx?: Transaction;
}

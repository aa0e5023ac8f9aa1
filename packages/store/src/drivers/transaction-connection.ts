import type { Transaction } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import type { Knex } from 'knex';

/** The parts of a knex client that its types leave out. */
export interface KnexInternals {
  readonly config: object;
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
}

export function internals(of: Knex | Transaction): KnexInternals {
  return of.client as KnexInternals;
}

/** The driver's connection under an open transaction of `knex`. @throws InputError for another database's, or one that has ended. */
export function transactionConnection(trx: Transaction, knex: Knex): Promise<unknown> {
  if (typeof trx !== 'function' || trx.isTransaction !== true) {
    throw new InputError(
      'INVALID_INPUT',
      'The `trx` option is no transaction. Pass what `store.transaction(async (trx) => …)` hands to its callback.',
    );
  }
  // A transaction's client is made from its parent's and shares the configuration object: that identifies the database.
  if (internals(trx).config !== internals(knex).config) {
    throw new InputError(
      'INVALID_INPUT',
      'The `trx` option is a transaction of another database connection. Begin it on the store that this plugin uses.',
    );
  }
  if (trx.isCompleted()) {
    throw new InputError(
      'INVALID_INPUT',
      'The `trx` option is a transaction that has ended. Make the call before the callback returns, and await it.',
    );
  }
  return internals(trx).acquireConnection();
}

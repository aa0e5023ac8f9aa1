// The dialect classes of knex that our clients extend. knex publishes no types for them.
import { createRequire } from 'node:module';
import type { Knex } from 'knex';

const require = createRequire(import.meta.url);

export type KnexClientClass = new (config: Knex.Config) => KnexClient;

/** A query on its way through a knex client; the client fills in `response` and `context`. */
export interface KnexQuery {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  readonly options?: Record<string, unknown>;
  response?: unknown;
  context?: { lastID: unknown; changes: number };
}

/** The members of a knex client that its types leave out or call `any`. */
export interface KnexClient {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
  transaction(container: unknown, config: unknown, outerTx: unknown): unknown;
  _query(connection: unknown, query: KnexQuery): Promise<KnexQuery>;
  destroyRawConnection(connection: unknown): Promise<void>;
  _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
}

export interface KnexTransactionRunner {
  begin(connection: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}

export const SqliteDialect = require('knex/lib/dialects/better-sqlite3/index.js') as KnexClientClass;
export const PostgresDialect = require('knex/lib/dialects/postgres/index.js') as KnexClientClass;
export const SqliteTransaction = require('knex/lib/dialects/sqlite3/execution/sqlite-transaction.js') as new (
  ...args: unknown[]
) => KnexTransactionRunner;

/** knex writes warnings to the console unless told otherwise; errors reach the caller anyway. */
export const QUIET_LOG: Knex.Logger = { warn() {}, error() {}, deprecate() {}, debug() {} };

/**
 * Wraps the callback of a transaction. knex calls back even when the BEGIN failed: the transaction has then ended, its error is on its way to
 * the caller, and the callback must not run.
 */
export function onlyBegun(container: unknown): unknown {
  if (typeof container !== 'function') return container;
  return (trx: Knex.Transaction) => (trx.isCompleted() ? Promise.resolve() : (container(trx) as unknown));
}

import knexFactory, { type Knex } from 'knex';
import { toStoreError } from '../store-faults.js';
import { type KnexClient, type KnexQuery, onlyBegun, QUIET_LOG, SqliteDialect, SqliteTransaction } from './knex-internals.js';

export interface SqliteResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number;
  readonly lastInsertRowid: unknown;
  /** The statement returns rows. */
  readonly reader: boolean;
}

/** One connection as knex sees it: ours, or a buffer in front of a remote database. */
export interface SqliteConnection {
  run(sql: string, bindings: readonly unknown[]): Promise<SqliteResult>;
}

/** Where a knex of the SQLite family gets its connections. */
export interface SqliteConnections {
  acquire(): Promise<SqliteConnection>;
  release(connection: SqliteConnection): void;
  /** Runs the body of a transaction so that calls from inside it are recognised. */
  inside<T>(body: () => T): T;
}

/** A transaction takes the write lock at its start: one that read first and then wrote could fail on a snapshot that has become old. */
class ImmediateTransaction extends SqliteTransaction {
  override begin(connection: unknown): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/** A knex for SQLite whose queries run on connections of ours instead of a pool of its own. */
export function sqliteKnex(connections: SqliteConnections): Knex {
  class EmbeddedClient extends SqliteDialect implements KnexClient {
    override acquireConnection(): Promise<unknown> {
      return connections.acquire();
    }

    override releaseConnection(connection: unknown): Promise<void> {
      connections.release(connection as SqliteConnection);
      return Promise.resolve();
    }

    override transaction(container: unknown, config: unknown, outerTx: unknown): unknown {
      return new ImmediateTransaction(this, recognised(container, connections), config, outerTx);
    }

    override async _query(connection: unknown, query: KnexQuery): Promise<KnexQuery> {
      let result: SqliteResult;
      try {
        result = await (connection as SqliteConnection).run(query.sql, this._formatBindings(query.bindings));
      } catch (error) {
        throw toStoreError(error);
      }
      query.response = result.reader ? result.rows : { changes: result.changes, lastInsertRowid: result.lastInsertRowid };
      if (!result.reader) query.context = { lastID: result.lastInsertRowid, changes: result.changes };
      return query;
    }
  }
  return knexFactory({
    client: EmbeddedClient as unknown as typeof Knex.Client,
    useNullAsDefault: true,
    compileSqlOnError: false,
    log: QUIET_LOG,
  });
}

/** Wraps the callback of a transaction. knex begins one without a callback through a promise's resolver, which returns at once. */
export function recognised(container: unknown, connections: Pick<SqliteConnections, 'inside'>): unknown {
  if (typeof container !== 'function') return container;
  return onlyBegun((trx: unknown) => connections.inside(() => container(trx) as unknown));
}

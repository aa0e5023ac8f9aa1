import type { Transaction } from '@bellhop/contracts';
import { StoreError, systemClock } from '@bellhop/kernel';
import knexFactory, { type Knex } from 'knex';
import type pg from 'pg';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind, toStoreError } from '../store-faults.js';
import type { UnderWay } from '../under-way.js';
import { type KnexClient, type KnexQuery, onlyBegun, PostgresDialect, QUIET_LOG } from './knex-internals.js';

export interface PostgresConnectionOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds after which the server, and then the client, gives a statement up. */
  readonly statementTimeoutMs: number;
}

/** Connections for what is counted already. */
export interface ConnectionPool {
  acquire(): Promise<unknown>;
  release(connection: unknown): Promise<void>;
}

export interface PostgresKnex {
  readonly knex: Knex;
  readonly pool: ConnectionPool;
}

/** The client gives up this much later than the server, whose own limit cannot reach it over a half-open connection. */
const HALF_OPEN_GRACE_MS = 5_000;
/** Milliseconds that the farewell of a connection may take. */
const FAREWELL_MS = 2_000;

/** Tells knex's pool to throw a connection away instead of handing it on in an unknown state. */
export function markBroken(connection: object, error: unknown): void {
  (connection as { __knex__disposed?: unknown }).__knex__disposed = error;
}

/**
 * Lets a transaction reject when the server answers its COMMIT with a rollback. It does so, without an error, after a statement that failed and
 * whose error was swallowed; knex takes it for a commit.
 */
export function watchCommit(trx: Transaction): void {
  let root = trx;
  while (root.parentTransaction) root = root.parentTransaction;
  const client = root.client as KnexClient;
  if (watched.has(client)) return;
  watched.add(client);
  const query = client._query;
  client._query = async (connection, sent) => assertCommitted(await query.call(client, connection, sent));
}

const watched = new WeakSet<KnexClient>();

function assertCommitted(query: KnexQuery): KnexQuery {
  if (!/^\s*commit\b/i.test(query.sql) || (query.response as { command?: string } | undefined)?.command !== 'ROLLBACK') return query;
  throw new StoreError(
    'TRX_ABORTED',
    'A statement failed inside this transaction and its error was swallowed, so Postgres rolled everything back. ' +
      'Let the error out of the callback, or run what may fail in a nested transaction (`trx.transaction`).',
  );
}

/**
 * A knex of our own for Postgres: its builder's queries are counted, their faults are coded, and its pool lets broken connections go.
 *
 * @param underWay what the store is busy with: a query or a transaction of the builder is part of it.
 */
export function postgresKnex(options: PostgresConnectionOptions, meter: DriverMeter, underWay: UnderWay): PostgresKnex {
  class PostgresClient extends PostgresDialect {
    override async acquireConnection(): Promise<unknown> {
      underWay.begin();
      try {
        return await super.acquireConnection();
      } catch (error) {
        underWay.end();
        throw toStoreError(error);
      }
    }

    override async releaseConnection(connection: unknown): Promise<void> {
      try {
        await super.releaseConnection(connection);
      } finally {
        underWay.end();
      }
    }

    override transaction(container: unknown, config: unknown, outerTx: unknown): unknown {
      return super.transaction(onlyBegun(container), config, outerTx);
    }

    override async _query(connection: unknown, query: KnexQuery): Promise<KnexQuery> {
      try {
        await super._query(connection, query);
      } catch (error) {
        if (faultKind(error) === 'connection') markBroken(connection as object, error);
        throw toStoreError(error);
      }
      meter.countRoundTrips(1);
      meter.countSql(query.sql, (query.response as { rowCount?: number | null })?.rowCount ?? 0);
      return assertCommitted(query);
    }

    /** knex waits for the server to close the connection; one that is not heard from any more would keep the process alive. */
    override destroyRawConnection(connection: unknown): Promise<void> {
      const client = connection as pg.Client & { connection: { stream: { destroy(): void } } };
      const deadline = systemClock.setTimeout(() => client.connection.stream.destroy(), FAREWELL_MS);
      return client.end().finally(() => deadline.cancel());
    }
  }
  const { url, poolSize, statementTimeoutMs } = options;
  const knex = knexFactory({
    client: PostgresClient as unknown as typeof Knex.Client,
    connection: {
      connectionString: url,
      application_name: 'bellhop',
      connectionTimeoutMillis: 10_000,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + HALF_OPEN_GRACE_MS,
      keepAlive: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 15_000,
    // knex puts the values of a failed query into its error's message, and from there into logs.
    compileSqlOnError: false,
    log: QUIET_LOG,
  });
  return {
    knex,
    pool: {
      acquire: () => PostgresDialect.prototype.acquireConnection.call(knex.client),
      release: (connection) => PostgresDialect.prototype.releaseConnection.call(knex.client, connection),
    },
  };
}

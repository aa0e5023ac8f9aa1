import type { SqlParams, Statement, StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import knexFactory, { type Knex } from 'knex';
import type pg from 'pg';
import { type KnexQuery, PostgresDialect, QUIET_LOG } from '../knex/knex-internals.js';
import { type PositionalSql, toPositional } from '../named-params.js';
import { type RetryOptions, withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import type { Driver, Row, Step } from './driver.js';
import { internals, transactionConnection } from './transaction-connection.js';

export interface PostgresConnectionOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds after which the server, and then the client, gives a statement up. */
  readonly statementTimeoutMs: number;
}

const ON_CONFLICT: RetryOptions = { on: ['conflict'], budgetMs: 5_000 };

/** Postgres gives 64-bit integers as text; ours are epoch milliseconds and counts, which a JavaScript number holds exactly. */
const INT8 = 20;
const asText = (value: string) => value;

/** Hot statements on the raw connections of a knex pool: ours, or the one that the application already has. */
export class PostgresDriver implements Driver {
  readonly dialect = 'postgres';
  readonly family = 'postgres';
  readonly durable = true;
  readonly interactive = true;
  readonly knex: Knex;
  readonly #meter: DriverMeter;
  readonly #owned: boolean;
  readonly #prepare: boolean;
  readonly #prepared = new WeakMap<Statement, PositionalSql & { name: string }>();
  #names = 0;
  #closed = false;

  /**
   * @param owned the pool is ours to close.
   * @param prepare name statements, so that the server plans them once a connection. Off for a pooler that mixes sessions.
   */
  constructor(knex: Knex, options: { meter: DriverMeter; owned: boolean; prepare: boolean }) {
    this.knex = knex;
    this.#meter = options.meter;
    this.#owned = options.owned;
    this.#prepare = options.prepare;
  }

  async open(): Promise<void> {
    try {
      await this.ping();
    } catch (error) {
      const message = error instanceof Error ? error.message || (error as { code?: string }).code || error.name : String(error);
      throw new StoreError('STORE_UNAVAILABLE', `Cannot reach the Postgres server: ${message}.`, { cause: error });
    }
  }

  // A deadlock or a serialization failure rolled everything back, so the whole of it may run again.
  execute(step: Step): Promise<StatementResult<Row>> {
    return withRetry(ON_CONFLICT, () => this.#onConnection((connection) => this.#run(connection, step)));
  }

  executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    return withRetry(ON_CONFLICT, () => this.#onConnection((connection) => this.#runAll(connection, steps)));
  }

  async executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    return this.#run((await transactionConnection(trx, this.knex)) as pg.ClientBase, step);
  }

  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(fn);
  }

  async serverTime(): Promise<number> {
    const row = await this.#onConnection(async (connection) => {
      const result = await connection.query<{ ms: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
      this.#meter.countStatement('store.time', 'select', 1);
      this.#meter.countRoundTrips(1);
      return result.rows[0];
    });
    return Number(row?.ms);
  }

  async ping(): Promise<void> {
    await this.serverTime();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#owned) await this.knex.destroy();
  }

  async #onConnection<T>(fn: (connection: pg.ClientBase) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreError('STORE_CLOSED', 'The store is closed. Nothing was written.');
    const pool = internals(this.knex);
    const connection = (await pool.acquireConnection()) as pg.ClientBase;
    try {
      return await fn(connection);
    } finally {
      await pool.releaseConnection(connection);
    }
  }

  async #run(connection: pg.ClientBase, { statement, params }: Step): Promise<StatementResult<Row>> {
    const result = await connection.query(this.#query(statement, params));
    this.#meter.countRoundTrips(1);
    this.#meter.countStatement(statement.label, statement.operation, result.rowCount ?? result.rows.length);
    return { rows: result.rows as Row[], changes: statement.operation === 'select' ? 0 : (result.rowCount ?? 0) };
  }

  async #runAll(connection: pg.ClientBase, steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    this.#meter.countTransaction();
    this.#meter.countRoundTrips(2);
    await connection.query('BEGIN');
    try {
      const results: StatementResult<Row>[] = [];
      for (const step of steps) results.push(await this.#run(connection, step));
      await connection.query('COMMIT');
      return results;
    } catch (error) {
      // On a broken connection there is nothing to roll back; the first error is the one that matters.
      await connection.query('ROLLBACK').catch(() => markBroken(connection, error));
      throw error;
    }
  }

  #query(statement: Statement, params: SqlParams): pg.QueryConfig {
    let prepared = this.#prepared.get(statement);
    if (!prepared) {
      this.#names += 1;
      prepared = { ...toPositional(statement.sql.postgres), name: `bellhop_${this.#names}` };
      this.#prepared.set(statement, prepared);
    }
    return {
      text: prepared.text,
      values: prepared.values(params),
      types: HOT_TYPES,
      ...(this.#prepare ? { name: prepared.name } : {}),
    };
  }
}

const HOT_TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => {
    if (oid === INT8 || oid === 21 || oid === 23 || oid === 700 || oid === 701) return Number;
    if (oid === 16) return (value: string) => value === 't';
    return asText;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** Tells knex's pool to throw the connection away instead of handing it on in an unknown state. */
function markBroken(connection: pg.ClientBase, error: unknown): void {
  (connection as { __knex__disposed?: unknown }).__knex__disposed = error;
}

/** A knex of our own for Postgres, whose builder queries are counted too. */
export function postgresKnex({ url, poolSize, statementTimeoutMs }: PostgresConnectionOptions, meter: DriverMeter): Knex {
  class MeteredClient extends PostgresDialect {
    override async _query(connection: unknown, query: KnexQuery): Promise<KnexQuery> {
      const done = await super._query(connection, query);
      meter.countRoundTrips(1);
      meter.countSql(query.sql, (done.response as { rowCount?: number | null })?.rowCount ?? 0);
      return done;
    }
  }
  return knexFactory({
    client: MeteredClient as unknown as typeof Knex.Client,
    connection: {
      connectionString: url,
      application_name: 'bellhop',
      connectionTimeoutMillis: 10_000,
      statement_timeout: statementTimeoutMs,
      // The server's own limit cannot fire on a half-open connection; this one does.
      query_timeout: statementTimeoutMs + 5_000,
      keepAlive: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 15_000,
    log: QUIET_LOG,
  });
}

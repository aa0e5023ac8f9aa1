import type { SqlParams, Statement, StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import type { Knex } from 'knex';
import type pg from 'pg';
import { type ConnectionPool, markBroken, watchCommit } from '../knex/postgres-knex.js';
import { type PositionalSql, toPositional } from '../named-params.js';
import { type RetryOptions, withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind, toStoreError } from '../store-faults.js';
import { UnderWay } from '../under-way.js';
import { countAnnounced } from './announced-queries.js';
import type { Driver, Row, Step } from './driver.js';
import { internals, transactionConnection } from './transaction-connection.js';

const ON_CONFLICT: RetryOptions = { on: ['conflict'], budgetMs: 5_000 };

/** Postgres gives 64-bit integers as text; ours are epoch milliseconds and counts, which a JavaScript number holds exactly. */
const INT8 = 20;
const asText = (value: string) => value;

/**
 * The server ends a batch's transaction that hears nothing for five seconds. All its statements are known when it begins, so it waits for nothing but
 * this process: one that was suspended, or whose event loop is blocked, would keep its locks from everybody until it goes on.
 */
const BEGIN_BATCH = 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 5000';

/** Milliseconds: the longest that a timer takes. */
const NO_HURRY_MS = 2 ** 31 - 1;

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
  readonly #stopCounting: () => void;
  readonly #pool: ConnectionPool;
  readonly #underWay: UnderWay;
  #names = 0;
  #ended: Promise<void> | undefined;

  /** @param prepare name statements, so that the server plans them once a connection. Off for a pooler that mixes sessions. */
  constructor(knex: Knex, options: { meter: DriverMeter; prepare: boolean; own?: { pool: ConnectionPool; underWay: UnderWay } }) {
    this.knex = knex;
    this.#meter = options.meter;
    this.#prepare = options.prepare;
    this.#owned = options.own !== undefined;
    this.#underWay = options.own?.underWay ?? new UnderWay();
    const client = internals(knex);
    this.#pool = options.own?.pool ?? {
      acquire: () => client.acquireConnection(),
      release: (connection) => client.releaseConnection(connection),
    };
    this.#stopCounting = options.own ? () => {} : countAnnounced(knex, options.meter);
  }

  async open(): Promise<void> {
    try {
      await this.ping();
    } catch (error) {
      const { message } = toStoreError(error) as Error;
      throw new StoreError('STORE_UNAVAILABLE', `Cannot open the Postgres database. ${message}`, { cause: error });
    }
  }

  // A deadlock or a serialization failure rolled everything back, so the whole of it may run again.
  execute(step: Step): Promise<StatementResult<Row>> {
    return this.#alone((connection) => this.#run(connection, step));
  }

  executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    return this.#alone((connection) => this.#runAll(connection, steps));
  }

  async executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    const connection = (await transactionConnection(trx, this.knex)) as pg.ClientBase;
    this.#watch(trx);
    return this.#run(connection, step);
  }

  async transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    const run = () =>
      this.knex.transaction((trx) => {
        this.#watch(trx);
        return fn(trx);
      });
    return this.#owned ? run() : this.#underWay.run(run);
  }

  /** A call of its own takes a connection of its own: it waits for the transaction only where it wants the same rows. */
  assertOutsideTransaction(): void {}

  async serverTime(): Promise<number> {
    const row = await this.#alone(async (connection) => {
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

  close(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    await this.#underWay.close();
    this.#stopCounting();
    if (this.#owned) await this.knex.destroy();
  }

  #alone<T>(fn: (connection: pg.ClientBase) => Promise<T>): Promise<T> {
    return this.#underWay.run(() => withRetry(ON_CONFLICT, () => this.#onConnection(fn)));
  }

  async #onConnection<T>(fn: (connection: pg.ClientBase) => Promise<T>): Promise<T> {
    const connection = (await this.#pool.acquire()) as pg.ClientBase;
    try {
      return await fn(connection);
    } catch (error) {
      // Also after a time-out of our own: the statement is still on its way, and the next one would wait behind it.
      if (faultKind(error) === 'connection') markBroken(connection, error);
      throw error;
    } finally {
      await this.#pool.release(connection);
    }
  }

  /** Our own knex tells a commit from a rollback in its place; in one of the application's, a transaction that holds our rows has to be told. */
  #watch(trx: Transaction): void {
    if (!this.#owned) watchCommit(trx);
  }

  async #run(connection: pg.ClientBase, { statement, params, unhurried }: Step): Promise<StatementResult<Row>> {
    const query: pg.QueryConfig & { query_timeout?: number } = this.#query(statement, params);
    if (unhurried) query.query_timeout = NO_HURRY_MS;
    const result = await connection.query(query as pg.QueryConfig);
    this.#meter.countRoundTrips(1);
    this.#meter.countStatement(statement.label, statement.operation, result.rowCount ?? result.rows.length);
    return { rows: result.rows as Row[], changes: statement.operation === 'select' ? 0 : (result.rowCount ?? 0) };
  }

  async #runAll(connection: pg.ClientBase, steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    try {
      await connection.query(BEGIN_BATCH);
      const results: StatementResult<Row>[] = [];
      for (const step of steps) results.push(await this.#run(connection, step));
      await connection.query('COMMIT');
      this.#meter.countTransaction();
      this.#meter.countRoundTrips(2);
      return results;
    } catch (error) {
      // A broken connection is thrown away, and its transaction with it; the first error is the one that matters.
      if (faultKind(error) !== 'connection') await connection.query('ROLLBACK').catch((again) => markBroken(connection, again));
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

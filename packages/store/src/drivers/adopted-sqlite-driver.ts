import type { StatementResult, Transaction } from '@bellhop/contracts';
import type Database from 'better-sqlite3';
import type { Knex } from 'knex';
import { closedError } from '../closed-error.js';
import { ConnectionGate } from '../connection-gate.js';
import type { KnexClient } from '../knex/knex-internals.js';
import { recognised } from '../knex/sqlite-knex.js';
import { withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import { countAnnounced } from './announced-queries.js';
import type { Driver, Row, Step } from './driver.js';
import { SqliteStatements } from './sqlite-statements.js';
import { internals, transactionConnection } from './transaction-connection.js';

/**
 * better-sqlite3 under a knex instance of the application's: its pool, its pragmas, its transactions. The pool holds one connection, so
 * everything waits there in line; a callback of `knex.transaction` is marked, so that a call which forgot its `trx` is refused at once.
 */
export class AdoptedSqliteDriver implements Driver {
  readonly dialect = 'sqlite';
  readonly family = 'sqlite';
  readonly interactive = true;
  readonly durable: boolean;
  readonly knex: Knex;
  readonly #statements: SqliteStatements;
  readonly #busyTimeoutMs: number;
  /** Used for its knowledge of who is inside a transaction; the line itself forms at the application's pool. */
  readonly #gate = new ConnectionGate();
  readonly #giveBack: () => void;
  #closed = false;

  constructor(knex: Knex, options: { meter: DriverMeter; busyTimeoutMs: number }) {
    this.knex = knex;
    this.#statements = new SqliteStatements(options.meter);
    this.#busyTimeoutMs = options.busyTimeoutMs;
    const connection = (knex.client.config as Knex.Config).connection as { filename?: string } | undefined;
    this.durable = connection?.filename !== ':memory:';
    const client = knex.client as KnexClient;
    const begin = client.transaction;
    client.transaction = (container, config, outerTx) => begin.call(client, recognised(container, this.#gate), config, outerTx);
    const stopCounting = countAnnounced(knex, options.meter);
    this.#giveBack = () => {
      client.transaction = begin;
      stopCounting();
    };
  }

  async open(): Promise<void> {
    await this.ping();
  }

  execute(step: Step): Promise<StatementResult<Row>> {
    return this.#onConnection((db) => this.#statements.run(db, step));
  }

  executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    return this.#onConnection((db) => this.#statements.runAll(db, steps));
  }

  async executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    const db = (await transactionConnection(trx, this.knex)) as Database.Database;
    return this.#statements.run(db, step);
  }

  async transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    this.#assertUsable();
    return this.knex.transaction(fn);
  }

  assertOutsideTransaction(): void {
    this.#gate.assertNotInside();
  }

  async ping(): Promise<void> {
    await this.#onConnection((db) => db.pragma('schema_version'));
  }

  /** The application opened it, the application closes it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#giveBack();
  }

  #assertUsable(): void {
    if (this.#closed) throw closedError();
    this.#gate.assertNotInside();
  }

  async #onConnection<T>(fn: (db: Database.Database) => T): Promise<T> {
    this.#assertUsable();
    return withRetry({ on: ['busy'], budgetMs: this.#busyTimeoutMs }, async () => {
      const pool = internals(this.knex);
      const db = (await pool.acquireConnection()) as Database.Database;
      try {
        return fn(db);
      } finally {
        await pool.releaseConnection(db);
      }
    });
  }
}

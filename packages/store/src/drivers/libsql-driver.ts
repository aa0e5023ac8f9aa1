import type { SqlParams, StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import {
  type Client,
  createClient,
  type InStatement,
  type InValue,
  type Transaction as LibsqlTransaction,
  type ResultSet,
} from '@libsql/client';
import { ConnectionGate } from '../connection-gate.js';
import { type SqliteConnection, type SqliteResult, sqliteKnex } from '../knex/sqlite-knex.js';
import { withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind } from '../store-faults.js';
import type { Driver, Row, Step } from './driver.js';
import { unreadable } from './sqlite-driver.js';
import { transactionConnection } from './transaction-connection.js';

/** The native client waits this long for a lock, blocking the event loop; beyond it we wait on timers. */
const LOCK_WAIT_MS = 20;

export interface LibsqlFileDriverOptions {
  readonly file: string;
  readonly meter: DriverMeter;
  readonly busyTimeoutMs: number;
  readonly synchronous: 'normal' | 'full';
}

/**
 * A libSQL database file through @libsql/client, on one connection: the client's own pool would give each statement another one, without
 * our pragmas. Everything waits for an open transaction at the gate, as on better-sqlite3.
 */
export class LibsqlFileDriver implements Driver {
  readonly dialect = 'libsql';
  readonly family = 'sqlite';
  readonly interactive = true;
  readonly durable = true;
  readonly knex;
  readonly #options: LibsqlFileDriverOptions;
  readonly #gate = new ConnectionGate();
  #client: Client | undefined;
  #transaction: LibsqlTransaction | undefined;

  constructor(options: LibsqlFileDriverOptions) {
    this.#options = options;
    const connection: SqliteConnection = { run: (sql, bindings) => this.#runSql(sql, bindings) };
    this.knex = sqliteKnex({
      acquire: async () => {
        await this.#gate.acquire();
        return connection;
      },
      release: () => {
        // A connection that comes back in mid-transaction (its COMMIT failed) must not carry it to the next holder.
        this.#transaction?.close();
        this.#transaction = undefined;
        this.#gate.release();
      },
      inside: (body) => this.#gate.inside(body),
    });
  }

  async open(): Promise<void> {
    if (this.#client) return;
    try {
      await this.#connect();
      await this.#retryBusy(() => this.#pragma('journal_mode = WAL'));
    } catch (error) {
      this.#disconnect();
      throw unreadable(this.#options.file, error);
    }
  }

  async execute(step: Step): Promise<StatementResult<Row>> {
    this.#gate.assertNotInside();
    return this.#retryBusy(() =>
      this.#exclusively(async () => counted(this.#options.meter, step, await this.#open.execute(libsqlStatement(step)))),
    );
  }

  async executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    this.#gate.assertNotInside();
    return this.#retryBusy(() =>
      this.#exclusively(async () => {
        const results = await this.#open.batch(steps.map(libsqlStatement), 'write');
        this.#options.meter.countTransaction();
        return steps.map((step, index) => counted(this.#options.meter, step, results[index] as ResultSet));
      }),
    );
  }

  async executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    await transactionConnection(trx, this.knex);
    return counted(this.#options.meter, step, await this.#inTransaction.execute(libsqlStatement(step)));
  }

  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(fn);
  }

  async ping(): Promise<void> {
    await this.#exclusively(() => this.#open.execute('PRAGMA schema_version'));
    this.#options.meter.countSql('PRAGMA', 0);
  }

  async close(): Promise<void> {
    await this.#gate.close();
    this.#disconnect();
  }

  get #open(): Client {
    if (!this.#client) throw new StoreError('STORE_CLOSED', 'The store is not open. Start the kernel, or call open(), first.');
    return this.#client;
  }

  get #inTransaction(): LibsqlTransaction {
    if (!this.#transaction) throw new StoreError('STORE_CLOSED', 'The transaction has ended.');
    return this.#transaction;
  }

  /** A query of the builder; its BEGIN and COMMIT become the client's own. */
  #runSql(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> {
    const run = async () => {
      if (/^BEGIN\b/i.test(sql)) {
        this.#transaction = await this.#open.transaction('write');
        this.#options.meter.countSql(sql, 0);
        return NOTHING;
      }
      if (this.#transaction && /^(COMMIT|ROLLBACK);?$/i.test(sql)) {
        // As a statement: the client's own commit() gives the connection back, rolled back, when it meets a lock that it might outwait.
        await this.#transaction.execute(sql);
        this.#transaction.close();
        this.#transaction = undefined;
        this.#options.meter.countSql(sql, 0);
        return NOTHING;
      }
      const result = await (this.#transaction ?? this.#open).execute({ sql, args: bindings as InValue[] });
      this.#options.meter.countSql(sql, result.columns.length > 0 ? result.rows.length : result.rowsAffected);
      return sqliteResult(result);
    };
    return this.#retryBusy(() => this.#mended(run));
  }

  async #exclusively<T>(fn: () => Promise<T>): Promise<T> {
    await this.#gate.acquire();
    try {
      return await this.#mended(fn);
    } finally {
      this.#gate.release();
    }
  }

  /**
   * A statement that met a lock stays open in the native client until it is collected, and every COMMIT on its connection then fails with
   * "SQL statements in progress". So a connection that was refused a lock is replaced before anyone uses it again.
   */
  async #mended<T>(fn: () => Promise<T>): Promise<T> {
    try {
      return await fn();
    } catch (error) {
      if (faultKind(error) === 'busy' && !this.#transaction) await this.#connect();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    this.#disconnect();
    this.#client = createClient({ url: `file:${this.#options.file}`, concurrency: 1, timeout: LOCK_WAIT_MS, intMode: 'number' });
    await this.#pragma(`synchronous = ${this.#options.synchronous.toUpperCase()}`);
    await this.#pragma('temp_store = MEMORY');
  }

  #disconnect(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  async #pragma(pragma: string): Promise<void> {
    await this.#open.execute(`PRAGMA ${pragma}`);
    this.#options.meter.countSql('PRAGMA', 0);
  }

  #retryBusy<T>(attempt: () => T | Promise<T>): Promise<T> {
    return withRetry({ on: ['busy'], budgetMs: this.#options.busyTimeoutMs }, attempt);
  }
}

export const NOTHING: SqliteResult = { rows: [], changes: 0, lastInsertRowid: 0, reader: false };

export function libsqlStatement({ statement, params }: Step): InStatement {
  return { sql: statement.sql.sqlite, args: params as Exclude<SqlParams, null> };
}

/** Rows of a result as plain objects, and the statement counted. */
export function counted(meter: DriverMeter, { statement }: Step, result: ResultSet): StatementResult<Row> {
  const rows = plainRows(result);
  const reader = result.columns.length > 0;
  meter.countStatement(statement.label, statement.operation, reader ? rows.length : result.rowsAffected);
  if (statement.operation === 'select') return { rows, changes: 0 };
  return { rows, changes: reader ? rows.length : result.rowsAffected };
}

export function sqliteResult(result: ResultSet): SqliteResult {
  return {
    rows: plainRows(result),
    changes: result.rowsAffected,
    lastInsertRowid: Number(result.lastInsertRowid ?? 0),
    reader: result.columns.length > 0,
  };
}

function plainRows({ columns, rows }: ResultSet): Row[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
}

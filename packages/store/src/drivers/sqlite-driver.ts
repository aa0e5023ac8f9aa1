import { existsSync, statSync } from 'node:fs';
import type { StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import Database from 'better-sqlite3';
import { ConnectionGate } from '../connection-gate.js';
import { type SqliteConnection, type SqliteResult, sqliteKnex } from '../knex/sqlite-knex.js';
import { withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind } from '../store-faults.js';
import type { Driver, Row, Step } from './driver.js';
import { SqliteStatements } from './sqlite-statements.js';
import { transactionConnection } from './transaction-connection.js';

export interface SqliteDriverOptions {
  /** Absolute path, or `:memory:`. */
  readonly file: string;
  readonly meter: DriverMeter;
  /** Milliseconds that a statement waits for a lock of another process. */
  readonly busyTimeoutMs: number;
  /** `normal`: survives a killed process; a power cut may take the last moments. `full`: survives that too, one fsync a commit. */
  readonly synchronous: 'normal' | 'full';
}

/**
 * better-sqlite3 on one connection, for hot statements and the query builder alike: so `memory:` is one database, and `data_version` tells
 * foreign commits from our own. The driver never waits for a lock inside SQLite (`busy_timeout` 0), which would block the event loop.
 */
export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite';
  readonly family = 'sqlite';
  readonly interactive = true;
  readonly durable: boolean;
  readonly knex;
  readonly #options: SqliteDriverOptions;
  readonly #gate = new ConnectionGate();
  readonly #statements: SqliteStatements;
  readonly #connection: SqliteConnection = { run: (sql, bindings) => this.#runSql(sql, bindings) };
  #db: Database.Database | undefined;

  constructor(options: SqliteDriverOptions) {
    this.#options = options;
    this.#statements = new SqliteStatements(options.meter);
    this.durable = options.file !== ':memory:';
    this.knex = sqliteKnex({
      acquire: async () => {
        await this.#gate.acquire();
        return this.#connection;
      },
      release: () => this.#gate.release(),
      inside: (body) => this.#gate.inside(body),
    });
  }

  async open(): Promise<void> {
    if (this.#db) return;
    const { file, synchronous } = this.#options;
    try {
      this.#db = new Database(file, { timeout: 0 });
      for (const pragma of ['journal_mode = WAL', `synchronous = ${synchronous.toUpperCase()}`, 'temp_store = MEMORY']) {
        await this.#retryBusy(() => this.#open.pragma(pragma));
        this.#options.meter.countSql('PRAGMA', 0);
      }
    } catch (error) {
      this.#db?.close();
      this.#db = undefined;
      throw unreadable(file, error);
    }
  }

  async execute(step: Step): Promise<StatementResult<Row>> {
    this.#gate.assertNotInside();
    if (this.#gate.free) {
      try {
        return this.#statements.run(this.#open, step);
      } catch (error) {
        if (faultKind(error) !== 'busy') throw error;
      }
    }
    return this.#retryBusy(() => this.#exclusively(() => this.#statements.run(this.#open, step)));
  }

  async executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    this.#gate.assertNotInside();
    return this.#retryBusy(() => this.#exclusively(() => this.#statements.runAll(this.#open, steps)));
  }

  async executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    await transactionConnection(trx, this.knex);
    return this.#statements.run(this.#open, step);
  }

  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(fn);
  }

  async ping(): Promise<void> {
    await this.#exclusively(() => this.#open.pragma('schema_version'));
    this.#options.meter.countSql('PRAGMA', 0);
  }

  async close(): Promise<void> {
    await this.#gate.close();
    this.#db?.close();
  }

  get #open(): Database.Database {
    if (!this.#db) throw new StoreError('STORE_CLOSED', 'The store is not open. Start the kernel, or call open(), first.');
    return this.#db;
  }

  /** A query of the builder. Only a BEGIN, or a statement outside transactions, can meet a lock: those wait and try again. */
  #runSql(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> {
    return this.#retryBusy(() => {
      const prepared = this.#open.prepare(sql);
      if (prepared.reader) {
        const rows = prepared.all(...bindings) as Row[];
        this.#options.meter.countSql(sql, rows.length);
        return { rows, changes: 0, lastInsertRowid: 0, reader: true };
      }
      const { changes, lastInsertRowid } = prepared.run(...bindings);
      this.#options.meter.countSql(sql, changes);
      return { rows: [], changes, lastInsertRowid, reader: false };
    });
  }

  async #exclusively<T>(fn: () => T): Promise<T> {
    await this.#gate.acquire();
    try {
      return fn();
    } finally {
      this.#gate.release();
    }
  }

  #retryBusy<T>(attempt: () => T | Promise<T>): Promise<T> {
    return withRetry({ on: ['busy'], budgetMs: this.#options.busyTimeoutMs }, attempt);
  }
}

/** Says what is wrong with the file, in one line. */
export function unreadable(file: string, error: unknown): StoreError {
  const { code, message } = error as { code?: string; message: string };
  let why = message;
  if (code === 'SQLITE_NOTADB' || /not a database/.test(message))
    why = 'the file is not a SQLite database. Name another file, or move this one away';
  else if (existsSync(file) && statSync(file).isDirectory()) why = 'it is a folder. Name a file in it';
  else if (/directory does not exist/.test(message)) why = 'its folder does not exist. Create the folder first';
  else if (code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY')
    why = `${message}. Check that this user may write the file and its folder`;
  return new StoreError('STORE_UNREADABLE', `Cannot open the database ${file}: ${why}.`, { cause: error });
}

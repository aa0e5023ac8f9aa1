import { existsSync, statSync } from 'node:fs';
import type { StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import Database from 'better-sqlite3';
import type { SqliteResult } from '../knex/sqlite-knex.js';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind } from '../store-faults.js';
import type { Driver, Row, Step } from './driver.js';
import { EmbeddedConnection } from './embedded-connection.js';
import { SqliteStatements } from './sqlite-statements.js';

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
  readonly #statements: SqliteStatements;
  readonly #connection: EmbeddedConnection;
  #db: Database.Database | undefined;

  constructor(options: SqliteDriverOptions) {
    this.#options = options;
    this.#statements = new SqliteStatements(options.meter);
    this.durable = options.file !== ':memory:';
    const port = {
      run: (sql: string, bindings: readonly unknown[]) => this.#runSql(sql, bindings),
      inTransaction: () => this.#open.inTransaction,
      abandon: () => void this.#open.exec('ROLLBACK'),
    };
    this.#connection = new EmbeddedConnection(port, options.busyTimeoutMs);
    this.knex = this.#connection.knex;
  }

  async open(): Promise<void> {
    if (this.#db) return;
    const { file, synchronous } = this.#options;
    try {
      this.#db = new Database(file, { timeout: 0 });
      for (const pragma of ['journal_mode = WAL', `synchronous = ${synchronous.toUpperCase()}`, 'temp_store = MEMORY']) {
        await this.#connection.retryBusy(() => this.#open.pragma(pragma));
        this.#options.meter.countSql('PRAGMA', 0);
      }
    } catch (error) {
      this.#db?.close();
      this.#db = undefined;
      throw unreadable(file, error);
    }
  }

  async execute(step: Step): Promise<StatementResult<Row>> {
    this.assertOutsideTransaction();
    if (this.#connection.free) {
      try {
        return this.#statements.run(this.#open, step);
      } catch (error) {
        if (faultKind(error) !== 'busy') throw error;
      }
    }
    return this.#connection.alone(() => this.#statements.run(this.#open, step));
  }

  executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    return this.#connection.alone(() => this.#statements.runAll(this.#open, steps));
  }

  executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    return this.#connection.inside(trx, () => this.#statements.run(this.#open, step));
  }

  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(fn);
  }

  assertOutsideTransaction(): void {
    this.#connection.assertOutsideTransaction();
  }

  /** Not in line behind a transaction: a read of one number disturbs nobody's. */
  async ping(): Promise<void> {
    this.#open.pragma('schema_version');
    this.#options.meter.countSql('PRAGMA', 0);
  }

  async close(): Promise<void> {
    await this.#connection.close();
    this.#db?.close();
  }

  get #open(): Database.Database {
    if (!this.#db) throw new StoreError('STORE_CLOSED', 'The store is not open. Start the kernel, or call open(), first.');
    return this.#db;
  }

  #runSql(sql: string, bindings: readonly unknown[]): SqliteResult {
    const prepared = this.#open.prepare(sql);
    if (prepared.reader) {
      const rows = prepared.all(...bindings) as Row[];
      this.#options.meter.countSql(sql, rows.length);
      return { rows, changes: 0, lastInsertRowid: 0, reader: true };
    }
    const { changes, lastInsertRowid } = prepared.run(...bindings);
    this.#options.meter.countSql(sql, changes);
    return { rows: [], changes, lastInsertRowid, reader: false };
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

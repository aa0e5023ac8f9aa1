import type { StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import Database from 'better-sqlite3';
import type { SqliteResult } from '../knex/sqlite-knex.js';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind } from '../store-faults.js';
import type { Driver, Row, Step } from './driver.js';
import { EmbeddedConnection } from './embedded-connection.js';
import { ReadConnection, type RowReader } from './read-connection.js';
import { SqliteStatements } from './sqlite-statements.js';
import { PROBE, unreadable } from './unreadable.js';

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
  readonly #reads: ReadConnection;
  #db: Database.Database | undefined;

  constructor(options: SqliteDriverOptions) {
    this.#options = options;
    this.#statements = new SqliteStatements(options.meter);
    this.durable = options.file !== ':memory:';
    const port = {
      run: (sql: string, bindings: readonly unknown[]) => this.#runSql(sql, bindings),
      inTransaction: () => this.#open.inTransaction,
      abandon: () => {
        if (this.#open.inTransaction) this.#open.exec('ROLLBACK');
      },
    };
    this.#connection = new EmbeddedConnection(port, options.busyTimeoutMs);
    this.knex = this.#connection.knex;
    this.#reads = new ReadConnection(() => openReader(options), options);
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
      this.#provePermission();
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

  /** `memory:` reads at once, on its only connection: a second one would open another, empty database. */
  async readRows<T>(step: Step, deliver: (rows: Iterable<Row>) => Promise<T>): Promise<T> {
    if (!this.durable) return deliver((await this.execute(step)).rows);
    return this.#connection.beside(async () => {
      // A store that is not open says so, and reads nothing, though its file be there.
      void this.#open;
      return this.#reads.read(step, deliver);
    });
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
    this.#reads.close();
    this.#db?.close();
  }

  get #open(): Database.Database {
    if (!this.#db) throw new StoreError('STORE_CLOSED', 'The store is not open. Start the kernel, or call open(), first.');
    return this.#db;
  }

  /** SQLite opens a file that it may only read as if nothing were wrong, and fails at the first write. */
  #provePermission(): void {
    try {
      this.#open.exec(`BEGIN IMMEDIATE; ${PROBE}; ROLLBACK`);
    } catch (error) {
      // Somebody else writes it right now.
      if (faultKind(error) !== 'busy') throw error;
    }
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

/** @throws SqliteError where the file cannot be read, or a lock is held. */
function openReader({ file, meter }: SqliteDriverOptions): RowReader {
  const db = new Database(file, { readonly: true, timeout: 0 });
  db.pragma('temp_store = MEMORY');
  meter.countSql('PRAGMA', 0);
  return {
    iterate: (sql, params) => db.prepare(sql).iterate(params) as IterableIterator<Row>,
    close: () => db.close(),
  };
}

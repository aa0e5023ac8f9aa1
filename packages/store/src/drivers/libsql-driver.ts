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
import type { SqliteResult } from '../knex/sqlite-knex.js';
import type { DriverMeter } from '../statement-meter.js';
import { faultKind } from '../store-faults.js';
import type { Driver, Row, Step } from './driver.js';
import { EmbeddedConnection, NOTHING } from './embedded-connection.js';
import { openLibsqlReader } from './libsql-reader.js';
import { ReadConnection } from './read-connection.js';
import { PROBE, unreadable } from './unreadable.js';

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
  readonly #connection: EmbeddedConnection;
  readonly #reads: ReadConnection;
  #opened = false;
  #client: Client | undefined;
  #transaction: LibsqlTransaction | undefined;

  constructor(options: LibsqlFileDriverOptions) {
    this.#options = options;
    const port = {
      run: (sql: string, bindings: readonly unknown[]) => this.#mended(() => this.#runSql(sql, bindings)),
      inTransaction: () => this.#transaction?.closed === false,
      abandon: () => this.#endTransaction(),
    };
    this.#connection = new EmbeddedConnection(port, options.busyTimeoutMs);
    this.knex = this.#connection.knex;
    this.#reads = new ReadConnection(() => openLibsqlReader(options), options);
  }

  async open(): Promise<void> {
    if (this.#opened) return;
    try {
      await this.#connect();
      await this.#connection.retryBusy(() => this.#pragma('journal_mode = WAL'));
      await this.#provePermission();
      this.#opened = true;
    } catch (error) {
      this.#disconnect();
      throw unreadable(this.#options.file, error);
    }
  }

  execute(step: Step): Promise<StatementResult<Row>> {
    return this.#alone(async (client) => counted(this.#options.meter, step, await client.execute(libsqlStatement(step))));
  }

  async readRows<T>(step: Step, deliver: (rows: Iterable<Row>) => Promise<T>): Promise<T> {
    return this.#connection.beside(async () => {
      this.#assertOpen();
      return this.#reads.read(step, deliver);
    });
  }

  executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    return this.#alone(async (client) => {
      const results = await client.batch(steps.map(libsqlStatement), 'write');
      this.#options.meter.countTransaction();
      return steps.map((step, index) => counted(this.#options.meter, step, results[index] as ResultSet));
    });
  }

  executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    return this.#connection.inside(trx, async () => {
      const result = await (this.#transaction as LibsqlTransaction).execute(libsqlStatement(step));
      return counted(this.#options.meter, step, result);
    });
  }

  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(fn);
  }

  assertOutsideTransaction(): void {
    this.#connection.assertOutsideTransaction();
  }

  async ping(): Promise<void> {
    await this.#alone((client) => client.execute('PRAGMA schema_version'));
    this.#options.meter.countSql('PRAGMA', 0);
  }

  async close(): Promise<void> {
    await this.#connection.close();
    this.#reads.close();
    this.#disconnect();
  }

  /** A query of the builder; its BEGIN and COMMIT become the client's own. */
  async #runSql(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> {
    if (/^BEGIN\b/i.test(sql)) {
      this.#transaction = await (await this.#current()).transaction('write');
      this.#options.meter.countSql(sql, 0);
      return NOTHING;
    }
    if (this.#transaction && /^(COMMIT|ROLLBACK);?$/i.test(sql)) {
      // As a statement: the client's own commit() gives the connection back, rolled back, when it meets a lock that it might outwait.
      await this.#transaction.execute(sql);
      this.#endTransaction();
      this.#options.meter.countSql(sql, 0);
      return NOTHING;
    }
    const result = await (this.#transaction ?? (await this.#current())).execute({ sql, args: bindings as InValue[] });
    this.#options.meter.countSql(sql, result.columns.length > 0 ? result.rows.length : result.rowsAffected);
    return sqliteResult(result);
  }

  #alone<T>(fn: (client: Client) => Promise<T>): Promise<T> {
    return this.#connection.alone(() => this.#mended(async () => fn(await this.#current())));
  }

  /**
   * A statement that met a lock stays open in the native client until it is collected, and every COMMIT on its connection then fails with
   * "SQL statements in progress". So a connection that was refused a lock is replaced before anyone uses it again.
   */
  async #mended<T>(fn: () => Promise<T>): Promise<T> {
    try {
      return await fn();
    } catch (error) {
      if (faultKind(error) === 'busy' && !this.#transaction) this.#disconnect();
      throw error;
    }
  }

  async #current(): Promise<Client> {
    this.#assertOpen();
    return this.#client ?? this.#connect();
  }

  #assertOpen(): void {
    if (!this.#opened) throw new StoreError('STORE_CLOSED', 'The store is not open. Start the kernel, or call open(), first.');
  }

  async #connect(): Promise<Client> {
    this.#disconnect();
    this.#client = createClient({ url: fileUrl(this.#options.file), concurrency: 1, timeout: LOCK_WAIT_MS, intMode: 'number' });
    await this.#pragma(`synchronous = ${this.#options.synchronous.toUpperCase()}`);
    await this.#pragma('temp_store = MEMORY');
    return this.#client;
  }

  /** SQLite opens a file that it may only read as if nothing were wrong, and fails at the first write. */
  async #provePermission(): Promise<void> {
    try {
      this.#transaction = await this.#client?.transaction('write');
      await this.#transaction?.execute(PROBE);
    } catch (error) {
      // Somebody else writes it right now.
      if (faultKind(error) !== 'busy') throw error;
      this.#disconnect();
    } finally {
      this.#endTransaction();
    }
  }

  #disconnect(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  #endTransaction(): void {
    this.#transaction?.close();
    this.#transaction = undefined;
  }

  async #pragma(pragma: string): Promise<void> {
    await this.#client?.execute(`PRAGMA ${pragma}`);
    this.#options.meter.countSql('PRAGMA', 0);
  }
}

/** The client reads a URL, so what a path may hold and a URL may not is escaped. */
function fileUrl(file: string): string {
  return `file:${encodeURI(file).replaceAll('?', '%3F').replaceAll('#', '%23')}`;
}

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

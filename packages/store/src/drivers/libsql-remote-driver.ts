import type { StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import { type Client, createClient, type InStatement, type InValue, type ResultSet } from '@libsql/client';
import { type SqliteConnection, type SqliteResult, sqliteKnex } from '../knex/sqlite-knex.js';
import type { DriverMeter } from '../statement-meter.js';
import type { Driver, Row, Step } from './driver.js';
import { counted, libsqlStatement, NOTHING, sqliteResult } from './libsql-driver.js';
import { transactionConnection } from './transaction-connection.js';

export interface LibsqlRemoteDriverOptions {
  readonly url: string;
  readonly authToken?: string | undefined;
  readonly meter: DriverMeter;
  /** Milliseconds after which an exchange is given up. */
  readonly statementTimeoutMs: number;
}

/**
 * A libSQL server over HTTP. Each operation is one exchange: a statement, or a batch that the server runs as a transaction. An interactive
 * transaction would hold the server's only writer across round trips, and lose it after seconds; so a caller's transaction here is a buffer
 * of writes, sent as one batch at its commit.
 */
export class LibsqlRemoteDriver implements Driver {
  readonly dialect = 'libsql';
  readonly family = 'sqlite';
  readonly interactive = false;
  readonly durable = true;
  readonly knex;
  readonly #client: Client;
  readonly #meter: DriverMeter;
  #closed = false;

  constructor({ url, authToken, meter, statementTimeoutMs }: LibsqlRemoteDriverOptions) {
    this.#meter = meter;
    this.#client = createClient({
      url,
      ...(authToken === undefined ? {} : { authToken }),
      intMode: 'number',
      fetch: (input: Request) => {
        meter.countRoundTrips(1);
        return fetch(input, { signal: AbortSignal.timeout(statementTimeoutMs) });
      },
    });
    this.knex = sqliteKnex({
      acquire: () => (this.#closed ? Promise.reject(closedError()) : Promise.resolve(new BatchConnection(this.#client, meter))),
      release: () => {},
      inside: (body) => body(),
    });
  }

  async open(): Promise<void> {
    try {
      await this.ping();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const why = /\b401\b|\b403\b/.test(message) ? `${message}. Check the auth token` : message;
      throw new StoreError('STORE_UNAVAILABLE', `Cannot reach the libSQL server: ${why}.`, { cause: error });
    }
  }

  async execute(step: Step): Promise<StatementResult<Row>> {
    this.#assertOpen();
    return counted(this.#meter, step, await this.#client.execute(libsqlStatement(step)));
  }

  async executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    this.#assertOpen();
    const results = await this.#client.batch(steps.map(libsqlStatement), 'write');
    this.#meter.countTransaction();
    return steps.map((step, index) => counted(this.#meter, step, results[index] as ResultSet));
  }

  async executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>> {
    const connection = (await transactionConnection(trx, this.knex)) as BatchConnection;
    if (step.statement.operation === 'select') throw batchOnly(step.statement.label);
    connection.buffer(libsqlStatement(step), (result) => counted(this.#meter, step, result));
    return { rows: [], changes: null };
  }

  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.knex.transaction(fn);
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    await this.#client.execute('SELECT 1');
    this.#meter.countStatement('store.ping', 'select', 1);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#client.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }
}

interface BufferedWrite {
  readonly statement: InStatement;
  readonly sent: (result: ResultSet) => void;
}

/** One knex connection: outside a transaction it passes statements on, inside it keeps writes until the commit. */
class BatchConnection implements SqliteConnection {
  readonly #client: Client;
  readonly #meter: DriverMeter;
  #writes: BufferedWrite[] | undefined;
  readonly #savepoints = new Map<string, number>();

  constructor(client: Client, meter: DriverMeter) {
    this.#client = client;
    this.#meter = meter;
  }

  buffer(statement: InStatement, sent: (result: ResultSet) => void): void {
    if (!this.#writes) throw new StoreError('STORE_CLOSED', 'The transaction has ended.');
    this.#writes.push({ statement, sent });
  }

  async run(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> {
    const [, verb = '', savepoint = ''] =
      /^\s*(begin|commit|savepoint|release|rollback to|rollback|\w+)\b(?:\s+savepoint)?\s*(\w*)/i.exec(sql) ?? [];
    switch (verb.toLowerCase()) {
      case 'begin':
        this.#writes = [];
        return NOTHING;
      case 'commit':
        await this.#commit();
        return NOTHING;
      case 'rollback':
        this.#writes = undefined;
        return NOTHING;
      case 'savepoint':
        this.#savepoints.set(savepoint, this.#writes?.length ?? 0);
        return NOTHING;
      case 'release':
        return NOTHING;
      case 'rollback to':
        this.#writes?.splice(this.#savepoints.get(savepoint) ?? 0);
        return NOTHING;
    }
    const statement = { sql, args: bindings as InValue[] };
    if (!this.#writes) {
      const result = await this.#client.execute(statement);
      this.#meter.countSql(sql, result.columns.length > 0 ? result.rows.length : result.rowsAffected);
      return sqliteResult(result);
    }
    if (!isPlainWrite(sql)) throw batchOnly(sql.slice(0, 80));
    this.buffer(statement, (result) => this.#meter.countSql(sql, result.rowsAffected));
    return NOTHING;
  }

  async #commit(): Promise<void> {
    const writes = this.#writes ?? [];
    this.#writes = undefined;
    if (writes.length === 0) return;
    const results = await this.#client.batch(
      writes.map(({ statement }) => statement),
      'write',
    );
    this.#meter.countTransaction();
    writes.forEach(({ sent }, index) => {
      sent(results[index] as ResultSet);
    });
  }
}

function isPlainWrite(sql: string): boolean {
  return (
    /^\s*(insert|update|delete|replace|create|drop|alter|with)\b/i.test(sql) &&
    !/\breturning\b/i.test(sql) &&
    !/^\s*with\b[^;]*\)\s*select\b/i.test(sql)
  );
}

function batchOnly(what: string): StoreError {
  return new StoreError(
    'BATCH_ONLY',
    `A read inside a transaction of remote libSQL: ${what}. There a transaction is one batch of writes, sent at its commit; read before it begins.`,
  );
}

function closedError(): StoreError {
  return new StoreError('STORE_CLOSED', 'The store is closed. Nothing was written.');
}

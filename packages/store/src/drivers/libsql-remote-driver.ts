import type { StatementResult, Transaction } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import { type Client, createClient, type InValue, type ResultSet } from '@libsql/client';
import { sqliteKnex } from '../knex/sqlite-knex.js';
import { withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import { toStoreError } from '../store-faults.js';
import { UnderWay } from '../under-way.js';
import { BatchConnection, batchOnly } from './batch-connection.js';
import type { Driver, Row, Step } from './driver.js';
import { counted, libsqlStatement, sqliteResult } from './libsql-driver.js';
import { transactionConnection } from './transaction-connection.js';

export interface LibsqlRemoteDriverOptions {
  readonly url: string;
  readonly authToken?: string | undefined;
  readonly meter: DriverMeter;
  /** Milliseconds after which an exchange is given up. */
  readonly statementTimeoutMs: number;
  /** Milliseconds in which a write that met another's lock is sent again, on top of what the server itself waits. */
  readonly busyTimeoutMs: number;
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
  readonly #busyTimeoutMs: number;
  readonly #underWay = new UnderWay();

  constructor({ url, authToken, meter, statementTimeoutMs, busyTimeoutMs }: LibsqlRemoteDriverOptions) {
    this.#meter = meter;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#client = createClient({
      url,
      ...(authToken === undefined ? {} : { authToken }),
      intMode: 'number',
      fetch: (input: Request) => {
        meter.countRoundTrips(1);
        return fetch(input, { signal: AbortSignal.timeout(statementTimeoutMs) });
      },
    });
    const port = {
      execute: async (sql: string, bindings: readonly unknown[]) => {
        const result = await this.#send(() => this.#client.execute({ sql, args: bindings as InValue[] }));
        meter.countSql(sql, result.columns.length > 0 ? result.rows.length : result.rowsAffected);
        return sqliteResult(result);
      },
      batch: (statements: Parameters<Client['batch']>[0]) => this.#batch(statements),
    };
    this.knex = sqliteKnex({
      acquire: async () => {
        this.#underWay.begin();
        return new BatchConnection(port, meter);
      },
      release: () => this.#underWay.end(),
      inside: (body) => body(),
    });
  }

  async open(): Promise<void> {
    try {
      await this.ping();
    } catch (error) {
      const { message } = toStoreError(error) as Error;
      throw new StoreError('STORE_UNAVAILABLE', `Cannot open the libSQL database. ${message}`, { cause: error });
    }
  }

  async execute(step: Step): Promise<StatementResult<Row>> {
    return this.#underWay.run(async () => {
      return counted(this.#meter, step, await this.#send(() => this.#client.execute(libsqlStatement(step))));
    });
  }

  async executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]> {
    const results = await this.#underWay.run(() => this.#batch(steps.map(libsqlStatement)));
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

  /** A transaction here holds nothing that anyone could wait for. */
  assertOutsideTransaction(): void {}

  async ping(): Promise<void> {
    await this.#underWay.run(() => this.#send(() => this.#client.execute('SELECT 1')));
    this.#meter.countStatement('store.ping', 'select', 1);
  }

  async close(): Promise<void> {
    await this.#underWay.close();
    this.#client.close();
  }

  async #batch(statements: Parameters<Client['batch']>[0]): Promise<ResultSet[]> {
    const results = await this.#send(() => this.#client.batch(statements, 'write'));
    this.#meter.countTransaction();
    return results;
  }

  /** Sends again what the server says it did not run: a lock was held, or the stream had ended. Nothing else is known to be harmless. */
  #send<T>(exchange: () => Promise<T>): Promise<T> {
    return withRetry({ on: ['busy', 'expired'], budgetMs: this.#busyTimeoutMs }, exchange);
  }
}

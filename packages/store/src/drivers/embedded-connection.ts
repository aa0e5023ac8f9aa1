import type { Transaction } from '@bellhop/contracts';
import type { Knex } from 'knex';
import { ConnectionGate } from '../connection-gate.js';
import { type SqliteConnection, type SqliteResult, sqliteKnex } from '../knex/sqlite-knex.js';
import { pause, withRetry } from '../retry.js';
import { UnderWay } from '../under-way.js';
import { transactionConnection } from './transaction-connection.js';

/** What an embedded driver does on its connection. Called by the holder only. */
export interface EmbeddedPort {
  /** One statement of the query builder, tried once. */
  run(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> | SqliteResult;
  /** Whether a transaction that BEGIN opened is open still. */
  inTransaction(): boolean;
  /** Ends what is left of a transaction that its holder did not end. */
  abandon(): void;
}

export const NOTHING: SqliteResult = { rows: [], changes: 0, lastInsertRowid: 0, reader: false };

/**
 * The one connection of an embedded database, shared in turns by the query builder and the hot statements. Whoever meets a lock of another
 * process waits on a timer, and outside a transaction gives way meanwhile: readers are not locked out by a writer that waits.
 */
export class EmbeddedConnection {
  readonly knex: Knex;
  readonly #gate = new ConnectionGate();
  readonly #underWay = new UnderWay();
  readonly #busyTimeoutMs: number;

  constructor(port: EmbeddedPort, busyTimeoutMs: number) {
    this.#busyTimeoutMs = busyTimeoutMs;
    this.knex = sqliteKnex({
      acquire: async () => {
        this.#gate.assertNotInside();
        this.#underWay.begin();
        try {
          await this.#gate.acquire();
        } catch (error) {
          this.#underWay.end();
          throw error;
        }
        return new Turn(this.#gate, port, busyTimeoutMs);
      },
      release: (turn) => {
        try {
          (turn as Turn).end();
        } finally {
          this.#underWay.end();
        }
      },
      inside: (body) => this.#gate.inside(body),
    });
  }

  /** True when nobody holds the connection, so that a synchronous driver may run without waiting. */
  get free(): boolean {
    return this.#gate.free && !this.#underWay.closed;
  }

  /** @throws StoreError `TRX_REQUIRED`. */
  assertOutsideTransaction(): void {
    this.#gate.assertNotInside();
  }

  /** Runs `fn` on the connection, again while it meets a lock of another process; in between, others have their turn. */
  async alone<T>(fn: () => T | Promise<T>): Promise<T> {
    this.#gate.assertNotInside();
    const attempt = async () => {
      await this.#gate.acquire();
      try {
        return await fn();
      } finally {
        this.#gate.release();
      }
    };
    return this.#underWay.run(() => this.retryBusy(attempt));
  }

  /** Work on another connection of the database: nobody here waits for it, but `close` does. */
  beside<T>(fn: () => Promise<T>): Promise<T> {
    return this.#underWay.run(fn);
  }

  retryBusy<T>(attempt: () => T | Promise<T>): Promise<T> {
    return withRetry({ on: ['busy'], budgetMs: this.#busyTimeoutMs }, attempt);
  }

  /** Runs `fn` inside the caller's transaction. */
  async inside<T>(trx: Transaction, fn: () => T | Promise<T>): Promise<T> {
    const turn = (await transactionConnection(trx, this.knex)) as Turn;
    return turn.inTransaction(fn);
  }

  /** Waits for what is under way, then refuses the rest. @throws StoreError `TRX_REQUIRED` inside a transaction, which it would wait for. */
  async close(): Promise<void> {
    this.#gate.assertNotInside();
    await this.#underWay.close();
  }
}

/** The connection in the hands of one holder: a query of the builder, or a transaction from its BEGIN to its end. */
class Turn implements SqliteConnection {
  readonly #gate: ConnectionGate;
  readonly #port: EmbeddedPort;
  readonly #busyTimeoutMs: number;
  #held = true;
  #began = false;
  #fault: unknown;

  constructor(gate: ConnectionGate, port: EmbeddedPort, busyTimeoutMs: number) {
    this.#gate = gate;
    this.#port = port;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async run(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> {
    const verb = /^\s*(begin|commit|rollback(?!\s+to))\b/i.exec(sql)?.[1]?.toLowerCase();
    if (verb === 'rollback' && this.#began && !this.#port.inTransaction()) return NOTHING;
    const result = await this.inTransaction(() => this.#patiently(() => this.#port.run(sql, bindings)));
    if (verb) this.#began = verb === 'begin';
    return result;
  }

  /**
   * SQLite may answer a full disk or an I/O error by rolling the whole transaction back. What its holder ran after that, not knowing,
   * would be committed statement by statement: it meets the first error again instead.
   */
  async inTransaction<T>(fn: () => T | Promise<T>): Promise<T> {
    if (this.#began && !this.#port.inTransaction()) throw this.#fault;
    try {
      return await fn();
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  end(): void {
    if (!this.#held) return;
    this.#held = false;
    // One whose COMMIT failed is open still, and must not be carried to the next holder.
    try {
      if (this.#began) this.#port.abandon();
    } finally {
      this.#gate.release();
    }
  }

  #patiently<T>(attempt: () => T | Promise<T>): Promise<T> {
    const giveWay = async (delayMs: number) => {
      this.#held = false;
      this.#gate.release();
      await pause(delayMs);
      await this.#gate.acquire();
      this.#held = true;
    };
    return withRetry({ on: ['busy'], budgetMs: this.#busyTimeoutMs, ...(this.#began ? {} : { sleep: giveWay }) }, attempt);
  }
}

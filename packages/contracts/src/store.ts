import { type Clock, token } from '@bellhop/kernel';
import type { Knex } from 'knex';
import type { ChangeSignals } from './change-signals.js';
import type { MigrationReport, MigrationSet } from './migrations.js';
import type { BatchStep, SqlFamily, SqlParams, Statement, StatementResult, WriteScope } from './statement.js';
import type { StatementMeter } from './statement-meter.js';
import type { TenantAudit } from './tenant-audit.js';
import type { Transaction, TransactionOption } from './transaction.js';

export interface BatchOptions extends TransactionOption {
  /** The steps may run twice without harm (their ids are fixed): they are sent again after a lost connection. Default false. */
  readonly replayable?: boolean;
}

export type Dialect = 'sqlite' | 'libsql' | 'postgres';

export interface StoreHealth {
  readonly reachable: boolean;
  readonly durable: boolean;
  /** Server time minus this machine's, in milliseconds; Postgres only. */
  readonly clockOffsetMs?: number;
  readonly reason?: string;
}

/** The database of a deployment: connections, and everything that differs between dialects. Plugins hold tables and statements. */
export interface Store {
  readonly dialect: Dialect;
  readonly family: SqlFamily;
  /** False for `memory:`: nothing survives the process. */
  readonly durable: boolean;
  /** False for remote libSQL: a transaction is one batch of writes, and a read inside it fails with `BATCH_ONLY`. */
  readonly interactive: boolean;
  /** Schema, migrations and query building. Hot statements do not pass through it. */
  readonly knex: Knex;
  /** The kernel's clock, corrected by the server's time where the store has a server that tells it. Bind `now` from this. */
  readonly clock: Clock;
  readonly meter: StatementMeter;
  readonly audit: TenantAudit;
  readonly signals: ChangeSignals;

  /**
   * Runs `fn` in a transaction: committed when it resolves, rolled back when it rejects. On SQLite it is a BEGIN IMMEDIATE, and other
   * statements of this store wait for it: keep it short.
   *
   * @throws BellhopError `TRX_REQUIRED` inside another transaction of the same SQLite store (use `trx.transaction` to nest).
   */
  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T>;

  /** Runs a read. @throws BellhopError `BATCH_ONLY` in a transaction of remote libSQL. */
  read<Row>(statement: Statement, params: SqlParams, options?: TransactionOption): Promise<Row[]>;

  /**
   * A long read, row by row: `each` is called for every row, and the event loop gets its turn at least every 20 ms, as far as the database
   * gives a row and `each` takes it within that (a sort without an index ends before its first row). One statement on the meter.
   *
   * It holds up nothing: SQLite and libSQL files use a second, read-only connection of their own, which sees the database as it was at the first
   * row, whatever is written meanwhile. There one such read runs at a time, others wait for it. `memory:`, an adopted better-sqlite3 and servers
   * read the rows as a whole and hand them out bit by bit: bound what you ask of them.
   *
   * @param each synchronous: a promise that it returns is not waited for. What it throws ends the read.
   * @param options.signal aborted: no row more is handed out.
   * @returns the number of rows.
   * @throws what `each` throws, and the signal's reason, as they are. BellhopError `TRX_REQUIRED` inside an open transaction of this SQLite
   * store; `INVALID_INPUT` for a statement that is no select.
   */
  readRows<Row>(
    statement: Statement,
    params: SqlParams,
    each: (row: Row) => void,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<number>;

  /** Runs a write on its own, or in the caller's transaction. */
  write<Row = never>(
    statement: Statement,
    params: SqlParams,
    scope: WriteScope | undefined,
    options?: TransactionOption,
  ): Promise<StatementResult<Row>>;

  /** Runs the steps in one transaction, in one round trip where the store can; with `trx`, inside that. */
  batch(steps: readonly BatchStep[], options?: BatchOptions): Promise<StatementResult<Record<string, unknown>>[]>;

  /** Calls `fn` once the root of `trx` has committed (a nested one's release is not a commit), never after a rollback of any level. */
  afterCommit(trx: Transaction, fn: () => void): void;

  /**
   * For calls that gather in a group before they reach the store, where one that waits for itself would go unseen.
   *
   * @throws BellhopError `TRX_REQUIRED` when called from inside an open transaction of this SQLite store.
   */
  assertOutsideTransaction(): void;

  /** Brings the schema of one plugin up to date, under a lock that other processes wait for. @throws BellhopError `SCHEMA_NEWER`, `MIGRATION_FAILED`. */
  migrate(set: MigrationSet): Promise<MigrationReport>;

  health(): Promise<StoreHealth>;
  /** Waits for running statements, then closes the connections. Idempotent. */
  close(): Promise<void>;
}

export const STORE = token<Store>('STORE');

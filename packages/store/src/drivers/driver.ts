import type { Dialect, SqlFamily, SqlParams, Statement, StatementResult, Transaction } from '@bellhop/contracts';
import type { Knex } from 'knex';

export type Row = Record<string, unknown>;

export interface Step {
  readonly statement: Statement;
  readonly params: SqlParams;
  /** May take as long as it takes: a migration of a large table. */
  readonly unhurried?: boolean;
}

/** What a store needs of one way to reach a database. Drivers count on the meter; they do not audit and do not retry lost connections. */
export interface Driver {
  readonly dialect: Dialect;
  readonly family: SqlFamily;
  readonly durable: boolean;
  readonly interactive: boolean;
  readonly knex: Knex;
  /** Proves that the database can be used. @throws StoreError `STORE_UNREADABLE`, `STORE_UNAVAILABLE`. */
  open(): Promise<void>;
  /** One statement in a transaction of its own. */
  execute(step: Step): Promise<StatementResult<Row>>;
  /**
   * One read, its rows handed to `deliver` as the database finds them, on a connection that holds nobody up. Left out where there is none: the
   * store then hands out what `execute` gives.
   */
  readRows?<T>(step: Step, deliver: (rows: Iterable<Row>) => Promise<T>): Promise<T>;
  /** All steps in one transaction, in one exchange where the database can. */
  executeAll(steps: readonly Step[]): Promise<StatementResult<Row>[]>;
  /** Inside the caller's transaction. */
  executeIn(trx: Transaction, step: Step): Promise<StatementResult<Row>>;
  transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T>;
  /** @throws StoreError `TRX_REQUIRED` where a call without its transaction would wait for itself. */
  assertOutsideTransaction(): void;
  /** The server's time in epoch milliseconds, where there is a server that tells it. */
  serverTime?(): Promise<number>;
  /** Cheap proof of life. */
  ping(): Promise<void>;
  /** Waits for what is under way; later calls get `STORE_CLOSED`. Calls at one time share one end. */
  close(): Promise<void>;
}

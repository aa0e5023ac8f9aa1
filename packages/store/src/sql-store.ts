import type {
  BatchOptions,
  BatchStep,
  ChangeSignals,
  Dialect,
  MigrationReport,
  MigrationSet,
  SqlFamily,
  SqlParams,
  Statement,
  StatementMeter,
  StatementResult,
  Store,
  StoreHealth,
  TenantAudit,
  Transaction,
  TransactionOption,
  WriteScope,
} from '@bellhop/contracts';
import { type Clock, errorMessage, InputError, type Logger } from '@bellhop/kernel';
import type { Knex } from 'knex';
import { afterCommit } from './after-commit.js';
import type { Driver, Row } from './drivers/driver.js';
import { LocalSignals } from './local-signals.js';
import { MigrationRunner } from './migration-runner.js';
import { RECONNECTING, withRetry } from './retry.js';
import { inSlices } from './row-slices.js';
import { ServerClock } from './server-clock.js';
import { toStoreError } from './store-faults.js';
import type { WriteAudit } from './write-audit.js';

export interface SqlStoreParts {
  readonly driver: Driver;
  /** What identifies the database among the stores of this process. */
  readonly database: string;
  readonly meter: StatementMeter;
  readonly audit: WriteAudit;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A {@link Store} over a driver: adds the audit, retries where a repeat is harmless, the server's time, migrations and signals. */
export class SqlStore implements Store {
  readonly dialect: Dialect;
  readonly family: SqlFamily;
  readonly durable: boolean;
  readonly interactive: boolean;
  readonly knex: Knex;
  readonly clock: Clock;
  readonly meter: StatementMeter;
  readonly audit: TenantAudit;
  readonly signals: ChangeSignals;
  readonly #driver: Driver;
  readonly #audit: WriteAudit;
  readonly #logger: Logger;
  readonly #signals: LocalSignals;
  readonly #serverClock: ServerClock | undefined;
  readonly #migrations: MigrationRunner;

  constructor({ driver, database, meter, audit, clock, logger }: SqlStoreParts) {
    this.#driver = driver;
    this.#logger = logger;
    this.dialect = driver.dialect;
    this.family = driver.family;
    this.durable = driver.durable;
    this.interactive = driver.interactive;
    this.knex = driver.knex;
    this.meter = meter;
    this.audit = this.#audit = audit;
    this.signals = this.#signals = new LocalSignals(database, logger);
    this.#serverClock = driver.serverTime ? new ServerClock(clock, () => (driver.serverTime as () => Promise<number>)()) : undefined;
    this.clock = this.#serverClock ?? clock;
    this.#migrations = new MigrationRunner(driver, this.clock);
  }

  async open(): Promise<void> {
    try {
      await this.#driver.open();
      await this.#serverClock?.measure();
    } catch (error) {
      await this.#driver.close().catch(() => {});
      throw toStoreError(error);
    }
  }

  async transaction<T>(fn: (trx: Transaction) => Promise<T>): Promise<T> {
    let own: { readonly error: unknown } | undefined;
    try {
      return await this.#driver.transaction(async (trx) => {
        // knex calls back even when the BEGIN failed; its error is reported, and nothing may happen in the name of this transaction.
        if (trx.isCompleted()) return undefined as T;
        try {
          return await fn(trx);
        } catch (error) {
          own = { error };
          throw error;
        }
      });
    } catch (error) {
      // What the callback threw is the caller's own, and came before whatever the rollback met.
      throw own ? own.error : toStoreError(error);
    }
  }

  async read<R>(statement: Statement, params: SqlParams, options?: TransactionOption): Promise<R[]> {
    const step = { statement, params };
    const { rows } = await this.#settle(() =>
      options?.trx ? this.#driver.executeIn(options.trx, step) : withRetry(RECONNECTING, () => this.#driver.execute(step)),
    );
    return rows as R[];
  }

  async readRows<R>(
    statement: Statement,
    params: SqlParams,
    each: (row: R) => void,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<number> {
    if (statement.operation !== 'select') {
      throw new InputError(
        'INVALID_INPUT',
        `readRows: ${statement.label} is a statement of operation ${statement.operation}; only a select can be read.`,
      );
    }
    this.assertOutsideTransaction();
    signal?.throwIfAborted();
    const step = { statement, params };
    let own: { readonly error: unknown } | undefined;
    const handOut = (row: Row) => {
      try {
        each(row as R);
      } catch (error) {
        own = { error };
        throw error;
      }
    };
    const deliver = (rows: Iterable<Row>) => inSlices(rows, handOut, { signal });
    try {
      if (this.#driver.readRows) return await this.#driver.readRows(step, deliver);
      const { rows } = await withRetry(RECONNECTING, () => this.#driver.execute(step));
      return await deliver(rows);
    } catch (error) {
      // What `each` threw, and the reason of an abort, are the caller's own, whatever they look like.
      if (own) throw own.error;
      throw signal?.aborted && error === signal.reason ? error : toStoreError(error);
    }
  }

  async write<R = never>(
    statement: Statement,
    params: SqlParams,
    scope: WriteScope | undefined,
    options?: TransactionOption,
  ): Promise<StatementResult<R>> {
    this.#audit.check(statement.table, statement.operation, scope);
    const step = { statement, params };
    const result = await this.#settle(() => (options?.trx ? this.#driver.executeIn(options.trx, step) : this.#driver.execute(step)));
    return result as StatementResult<unknown> as StatementResult<R>;
  }

  async batch(steps: readonly BatchStep[], options: BatchOptions = {}): Promise<StatementResult<Row>[]> {
    for (const { statement, scope } of steps) this.#audit.check(statement.table, statement.operation, scope);
    const { trx, replayable = false } = options;
    return this.#settle(async () => {
      if (!trx) return replayable ? withRetry(RECONNECTING, () => this.#driver.executeAll(steps)) : this.#driver.executeAll(steps);
      const results: StatementResult<Row>[] = [];
      for (const step of steps) results.push(await this.#driver.executeIn(trx, step));
      return results;
    });
  }

  afterCommit(trx: Transaction, fn: () => void): void {
    afterCommit(trx, () => {
      try {
        fn();
      } catch (error) {
        this.#logger.warn({ error: errorMessage(error) }, 'a call that waited for a commit threw');
      }
    });
  }

  assertOutsideTransaction(): void {
    this.#driver.assertOutsideTransaction();
  }

  async migrate(set: MigrationSet): Promise<MigrationReport> {
    this.audit.register(set.tenantTables);
    return this.#settle(() => this.#migrations.run(set));
  }

  async health(): Promise<StoreHealth> {
    const facts = { durable: this.durable };
    try {
      await this.#driver.ping();
    } catch (error) {
      return { ...facts, reachable: false, reason: errorMessage(toStoreError(error)) };
    }
    return { ...facts, reachable: true, ...(this.#serverClock ? { clockOffsetMs: this.#serverClock.offsetMs() } : {}) };
  }

  async close(): Promise<void> {
    this.#signals.close();
    await this.#driver.close();
  }

  async #settle<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw toStoreError(error);
    }
  }
}

import type { Migration, MigrationReport, MigrationSet, Transaction } from '@bellhop/contracts';
import { type Clock, StoreError } from '@bellhop/kernel';
import { defineStatement } from './define-statement.js';
import type { Driver, Step } from './drivers/driver.js';
import { RECONNECTING, withRetry } from './retry.js';
import { toStoreError } from './store-faults.js';

const TABLE = `CREATE TABLE IF NOT EXISTS bellhop_migration (
  plugin VARCHAR(255) NOT NULL, number INTEGER NOT NULL, name VARCHAR(255) NOT NULL, kind VARCHAR(16) NOT NULL, applied_at BIGINT NOT NULL,
  PRIMARY KEY (plugin, number))`;

const CREATE_TABLE = ddl(TABLE);

const READ = defineStatement({
  label: 'migration.read',
  operation: 'select',
  table: 'bellhop_migration',
  sql: 'SELECT number, kind FROM bellhop_migration WHERE plugin = :plugin ORDER BY number',
});

const RECORD = defineStatement({
  label: 'migration.record',
  operation: 'insert',
  table: 'bellhop_migration',
  sql: 'INSERT INTO bellhop_migration (plugin, number, name, kind, applied_at) VALUES (:plugin, :number, :name, :kind, :appliedAt)',
});

/** Waiting for another process's migration, or rewriting a large table, is no fault: the store's time-out does not apply. */
const NO_TIMEOUT = ddl('SET LOCAL statement_timeout = 0');

/** One number for all Bellhop schemas: the advisory lock under which Postgres processes take turns. */
const LOCK = defineStatement({
  label: 'migration.lock',
  operation: 'select',
  table: 'bellhop_migration',
  sql: { sqlite: 'SELECT 1', postgres: 'SELECT pg_advisory_xact_lock(7305808869127) IS NULL AS locked' },
});

/**
 * Brings a plugin's tables up to date. Each run is one transaction with its record, under a lock: BEGIN IMMEDIATE on SQLite, an advisory
 * lock on Postgres. Remote libSQL has no lock to hold across exchanges, so there a batch carries the migration and its record, and the
 * record's primary key lets one process win; the other one looks again.
 */
export class MigrationRunner {
  readonly #driver: Driver;
  readonly #clock: Clock;

  constructor(driver: Driver, clock: Clock) {
    this.#driver = driver;
    this.#clock = clock;
  }

  async run(set: MigrationSet): Promise<MigrationReport> {
    checkNumbers(set);
    try {
      return this.#driver.interactive ? await this.#runLocked(set) : await this.#runBatched(set);
    } catch (failed) {
      const error = toStoreError(failed);
      if (error instanceof StoreError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new StoreError('MIGRATION_FAILED', `A migration of ${set.plugin} failed and was rolled back: ${message}.`, { cause: error });
    }
  }

  async #runLocked(set: MigrationSet): Promise<MigrationReport> {
    const before = await this.#applied(set).catch(() => undefined);
    if (before && pendingOf(set, before).length === 0) return report(set, [], before);
    return this.#driver.transaction(async (trx: Transaction) => {
      const execute = (step: Step) => this.#driver.executeIn(trx, { ...step, unhurried: true });
      if (this.#driver.family === 'postgres') {
        await execute({ statement: NO_TIMEOUT, params: {} });
        await execute({ statement: LOCK, params: {} });
      }
      await execute({ statement: CREATE_TABLE, params: {} });
      const applied = readApplied((await execute({ statement: READ, params: { plugin: set.plugin } })).rows);
      const pending = pendingOf(set, applied);
      for (const migration of pending) {
        for (const step of this.#steps(set, migration)) await execute(step);
      }
      return report(set, pending, applied);
    });
  }

  async #runBatched(set: MigrationSet): Promise<MigrationReport> {
    const ran: Migration[] = [];
    for (let tries = 0; ; tries += 1) {
      const look = [
        { statement: CREATE_TABLE, params: {} },
        { statement: READ, params: { plugin: set.plugin } },
      ];
      const results = await withRetry(RECONNECTING, () => this.#driver.executeAll(look));
      const applied = readApplied(results[1]?.rows ?? []);
      const pending = pendingOf(set, applied);
      if (pending.length === 0) return { ...report(set, ran, applied), present: applied.size - ran.length };
      try {
        await this.#driver.executeAll(pending.flatMap((migration) => this.#steps(set, migration)));
        ran.push(...pending);
      } catch (error) {
        // Another process may have won: then the next look finds its records. If not, the migration itself is at fault.
        if (tries > 0) throw error;
      }
    }
  }

  async #applied(set: MigrationSet): Promise<Applied> {
    const { rows } = await this.#driver.execute({ statement: READ, params: { plugin: set.plugin } });
    return readApplied(rows);
  }

  /** What a migration runs: its own SQL, then its record. */
  #steps(set: MigrationSet, migration: Migration): Step[] {
    const { family, knex } = this.#driver;
    const parts = migration.up({ family, knex, schema: () => knex.schema });
    const statements = parts.flatMap((part) => {
      if (typeof part === 'string') return [part];
      const sql = part.toSQL() as unknown as
        | { sql: string; bindings?: readonly unknown[] }
        | { sql: string; bindings?: readonly unknown[] }[];
      return (Array.isArray(sql) ? sql : [sql]).map((one) => {
        if (one.bindings && one.bindings.length > 0) {
          throw new StoreError(
            'MIGRATION_FAILED',
            `Migration ${set.plugin} ${migration.number} (${migration.name}) binds values in its DDL; write them into the SQL.`,
          );
        }
        return one.sql;
      });
    });
    const { number, name, kind } = migration;
    const record = { plugin: set.plugin, number, name, kind, appliedAt: this.#clock.now() };
    return [...statements.map((sql) => ({ statement: ddl(sql), params: {} })), { statement: RECORD, params: record }];
  }
}

/** Applied migrations: number to kind. */
type Applied = ReadonlyMap<number, Migration['kind']>;

function readApplied(rows: readonly Record<string, unknown>[]): Applied {
  return new Map(rows.map((row) => [Number(row.number), row.kind as Migration['kind']]));
}

/** @throws StoreError `SCHEMA_NEWER` when the database has a breaking migration that this code does not know. */
function pendingOf(set: MigrationSet, applied: Applied): Migration[] {
  const known = new Set(set.migrations.map(({ number }) => number));
  for (const [number, kind] of applied) {
    if (!known.has(number) && kind === 'breaking') {
      throw new StoreError(
        'SCHEMA_NEWER',
        `The database has schema ${number} of ${set.plugin}, a breaking change; this code knows schemas up to ${set.migrations.length}. Run a newer version of ${set.plugin}, or restore a backup made before.`,
      );
    }
  }
  return set.migrations.filter(({ number }) => !applied.has(number));
}

function report(set: MigrationSet, ran: readonly Migration[], before: Applied): MigrationReport {
  return { applied: ran.map(({ number, name }) => ({ plugin: set.plugin, number, name })), present: before.size };
}

function checkNumbers({ plugin, migrations }: MigrationSet): void {
  const wrong = migrations.findIndex(({ number }, index) => number !== index + 1);
  if (wrong !== -1) {
    throw new StoreError(
      'MIGRATION_FAILED',
      `The migrations of ${plugin} are numbered 1, 2, 3 … in order; at place ${wrong + 1} is number ${migrations[wrong]?.number}.`,
    );
  }
}

function ddl(sql: string) {
  return defineStatement({ label: 'migration.ddl', operation: 'select', table: 'bellhop_migration', sql });
}

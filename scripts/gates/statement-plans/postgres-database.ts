// Postgres, counted in rows by EXPLAIN (ANALYZE) on a throw-away server. A statement is prepared as the driver prepares it, may be planned for its
// values or for any, and is rolled back.
import { startPostgres } from '@bellhop/testing';
import type { SqlParams, Statement, Store, Transaction } from '../../../packages/contracts/src/index.js';
import { openStore } from '../../../packages/store/src/index.js';
import { toPositional } from '../../../packages/store/src/named-params.js';
import { NotMeasuredError } from '../framework/refusals.js';
import type { PluginStatements } from './hot-statement.js';
import { outline, readPlan, returnedRows, scannedPages, visitedRows } from './postgres-plan.js';
import { type DatabaseUnderTest, type Figure, seedWorld, type WorldBench } from './world-bench.js';

const MODES = ['custom plan', 'generic plan'] as const;

/** Throws `NotMeasuredError` where no server can be started. */
export async function postgresDatabase(plugins: readonly PluginStatements[]): Promise<DatabaseUnderTest> {
  // Statistics are those of the ANALYZE after a world was made, not of one that comes when it likes.
  const server = await startPostgres({ settings: { autovacuum: 'off' } }).catch((error: Error) => {
    throw new NotMeasuredError(`Postgres: ${error.message}`);
  });
  const database = await server.createDatabase();
  const store = await openStore({ url: database.url, statementTimeoutMs: 120_000 });
  for (const { migrations } of plugins) for (const set of migrations) await store.migrate(set);
  const tables = await tablesOf(store);
  let worlds = 0;
  return {
    family: 'postgres',
    modes: MODES,
    async open(world, scale) {
      await store.knex.raw(`TRUNCATE ${tables.join(', ')}`);
      await seedWorld(store, plugins, world, scale);
      await store.knex.raw('ANALYZE');
      worlds += 1;
      return new PostgresWorld(store, worlds);
    },
    async close() {
      await store.close();
      await server.stop();
    },
  };
}

async function tablesOf(store: Store): Promise<string[]> {
  const { rows } = await store.knex.raw<{ rows: { name: string }[] }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'bellhop_migration'`,
  );
  return rows.map(({ name }) => name);
}

/** Rows written and taken back: fewer are no trouble. */
const SWEPT_FROM = 1_000;

/** What takes the transaction of a measurement back. */
const TAKEN_BACK = Symbol('taken back');

class PostgresWorld implements WorldBench {
  readonly #store: Store;
  readonly #world: number;
  #prepared = 0;

  constructor(store: Store, world: number) {
    this.#store = store;
    this.#world = world;
  }

  async measure(statement: Statement, params: SqlParams, mode: string): Promise<Figure> {
    const { text, values } = toPositional(statement.sql.postgres);
    const given = values(params).map(literal);
    // One that fails stays prepared on its connection: no name is used twice.
    this.#prepared += 1;
    const name = `hot_${this.#world}_${this.#prepared}`;
    let explained: unknown;
    try {
      await this.#store.transaction(async (trx) => {
        await run(trx, `SET LOCAL plan_cache_mode = ${mode === 'custom plan' ? 'force_custom_plan' : 'force_generic_plan'}`);
        await run(trx, `PREPARE ${name} AS ${text}`);
        const [row] = await run(
          trx,
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}`,
        );
        explained = row?.['QUERY PLAN'];
        await run(trx, `DEALLOCATE ${name}`);
        throw TAKEN_BACK;
      });
    } catch (error) {
      if (error !== TAKEN_BACK) throw error;
    }
    const plan = readPlan(explained);
    // What was taken back lies about until it is swept, and the next statements would read its pages.
    if (statement.operation !== 'select' && returnedRows(plan) > SWEPT_FROM) await this.#store.knex.raw(`VACUUM ${statement.table}`);
    return { returned: returnedRows(plan), visited: visitedRows(plan), pages: scannedPages(plan), plan: outline(plan) };
  }

  async close(): Promise<void> {}
}

async function run(trx: Transaction, sql: string): Promise<{ 'QUERY PLAN'?: unknown }[]> {
  const { rows } = (await trx.raw(sql.replaceAll('?', '\\?'))) as { rows: { 'QUERY PLAN'?: unknown }[] };
  return rows;
}

/** A number as it is, a text in quotes: as the server would read an untyped parameter. */
function literal(value: string | number | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

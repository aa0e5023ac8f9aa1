// SQLite, counted in steps of its virtual machine, which only a build that shows `sqlite3_stmt_status` can tell. The rows are made by the store's
// own driver under the real migrations, and handed over as a file; the statements run on SQLite as WebAssembly.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, PreparedStatement, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import type { SqlParams, Statement } from '../../../packages/contracts/src/index.js';
import { openStore } from '../../../packages/store/src/index.js';
import { NotMeasuredError } from '../framework/refusals.js';
import type { PluginStatements, World } from './hot-statement.js';
import { type DatabaseUnderTest, type Figure, seedWorld, type WorldBench } from './world-bench.js';

/** A deployment never runs ANALYZE unless somebody does. */
const MODES = ['no statistics', 'analysed'] as const;

/** Throws `NotMeasuredError` where SQLite as WebAssembly is not installed. */
export async function sqliteDatabase(plugins: readonly PluginStatements[]): Promise<DatabaseUnderTest> {
  const wasm = await import('@sqlite.org/sqlite-wasm').catch((error: Error) => {
    throw new NotMeasuredError(
      `SQLite: @sqlite.org/sqlite-wasm cannot be loaded (${error.message}). Install the workspace: node scripts/bootstrap.mjs install`,
    );
  });
  const sqlite = await wasm.default();
  const folder = await mkdtemp(join(tmpdir(), 'statement-plans-'));
  let files = 0;
  return {
    family: 'sqlite',
    modes: MODES,
    async open(world, scale) {
      files += 1;
      const file = join(folder, `${files}.db`);
      await writeWorld(file, plugins, world, scale);
      const bench = new SqliteWorld(sqlite, await readFile(file));
      await rm(file);
      return bench;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function writeWorld(file: string, plugins: readonly PluginStatements[], world: World, scale: number): Promise<void> {
  const store = await openStore({ url: 'memory:' });
  try {
    for (const { migrations } of plugins) for (const set of migrations) await store.migrate(set);
    await seedWorld(store, plugins, world, scale);
    await store.knex.raw(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
  } finally {
    await store.close();
  }
}

class SqliteWorld implements WorldBench {
  readonly #sqlite: Sqlite3Static;
  readonly #db: Database;
  #analysed = false;

  constructor(sqlite: Sqlite3Static, file: Uint8Array) {
    const { capi, wasm } = sqlite;
    this.#sqlite = sqlite;
    this.#db = new sqlite.oo1.DB(':memory:');
    // A copy: it takes no subclass of Uint8Array, such as Buffer.
    const bytes = wasm.allocFromTypedArray(new Uint8Array(file));
    const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
    const code = capi.sqlite3_deserialize(this.#db, 'main', bytes, file.length, file.length, flags);
    this.#db.checkRc(code);
  }

  async measure(statement: Statement, params: SqlParams, mode: string): Promise<Figure> {
    if (mode === 'analysed' && !this.#analysed) {
      this.#db.exec('ANALYZE');
      this.#analysed = true;
    }
    const sql = statement.sql.sqlite;
    const plan = this.#run(`EXPLAIN QUERY PLAN ${sql}`, params, (prepared) => prepared.get(3) as string).read;
    this.#db.exec('SAVEPOINT measured');
    try {
      const { read, written, steps } = this.#run(sql, params, () => null);
      return { returned: written ?? read.length, visited: steps, plan };
    } finally {
      this.#db.exec('ROLLBACK TO measured; RELEASE measured');
    }
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #run<Row>(sql: string, params: SqlParams, read: (prepared: PreparedStatement) => Row): { read: Row[]; written?: number; steps: number } {
    const { capi } = this.#sqlite;
    const prepared = this.#db.prepare(sql);
    try {
      this.#bind(prepared, params);
      const rows: Row[] = [];
      while (prepared.step()) rows.push(read(prepared));
      const steps = capi.sqlite3_stmt_status(prepared, capi.SQLITE_STMTSTATUS_VM_STEP, 0);
      // As the driver tells them apart: what has no columns tells how many rows it wrote.
      return { read: rows, steps, ...(prepared.columnCount === 0 ? { written: Number(this.#db.changes()) } : {}) };
    } finally {
      prepared.finalize();
    }
  }

  /** As better-sqlite3 does: numbers as doubles, and every parameter of the text must be given. */
  #bind(prepared: PreparedStatement, params: SqlParams): void {
    let bound = 0;
    for (const [name, value] of Object.entries(params)) {
      const index = prepared.getParamIndex(`:${name}`);
      if (!index) continue;
      bound += 1;
      if (typeof value === 'number') this.#db.checkRc(this.#sqlite.capi.sqlite3_bind_double(prepared, index, value));
      else prepared.bind(index, value);
    }
    if (bound < prepared.parameterCount) {
      throw new Error(`${bound} of its ${prepared.parameterCount} parameters are given: ${Object.keys(params).join(', ')}.`);
    }
  }
}

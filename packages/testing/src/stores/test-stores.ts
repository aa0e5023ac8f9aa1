import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store, TenantPosture } from '@bellhop/contracts';
import type { Clock, Logger } from '@bellhop/kernel';
import { openStore, type StoreOptions } from '@bellhop/store';
import { startHranaServer } from '../hrana/hrana-server.js';
import type { PostgresDatabase } from '../postgres/postgres-database.js';
import { postgresDatabase } from '../postgres/throw-away-postgres.js';

export const TEST_STORE_NAMES = ['memory', 'sqlite', 'libsql', 'libsql-remote', 'postgres'] as const;
export type TestStoreName = (typeof TEST_STORE_NAMES)[number];

export interface TestStorePorts {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Default `isolated`: a write that names no organization is then found. */
  readonly posture?: TenantPosture;
}

/** An empty database of one kind, for as long as a test needs it. */
export interface TestDatabase {
  readonly name: TestStoreName;
  /** What `storePlugin` and `openStore` take. */
  readonly options: StoreOptions;
  /** Opens a store on it, as another process would. `memory` gives each store a database of its own. */
  open(ports?: TestStorePorts): Promise<Store>;
  /** Closes every store that `open` gave, then removes the database. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** The Postgres server to make a database on, outside vitest. Default: the one that all tests of the run share. */
  readonly postgres?: () => Promise<PostgresDatabase>;
}

/**
 * Makes an empty database: in memory, in a temporary file, behind a local libSQL server, or on the run's Postgres.
 *
 * @throws BellhopError for `postgres` outside a vitest run with the kit's global setup, unless a server is given.
 */
export async function testDatabase(name: TestStoreName, { postgres = postgresDatabase }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { url, drop } = await (name === 'postgres' ? postgres() : PLACES[name]());
  const options = { url };
  const opened: Store[] = [];
  return {
    name,
    options,
    async open({ posture = 'isolated', ...ports } = {}) {
      const store = await openStore({ ...options, posture }, ports);
      opened.push(store);
      return store;
    },
    async drop() {
      for (const store of opened.splice(0)) await store.close();
      await drop();
    },
  };
}

/** Deletes every row of the tables: quicker between tests than another database. */
export async function emptyTables(store: Store, tables: readonly string[]): Promise<void> {
  for (const table of tables) await store.knex(table).delete();
}

interface Place {
  readonly url: string;
  drop(): void | Promise<void>;
}

const PLACES: Readonly<Record<Exclude<TestStoreName, 'postgres'>, () => Place | Promise<Place>>> = {
  memory: () => ({ url: 'memory:', drop() {} }),
  sqlite: () => inFolder((folder) => `file:${join(folder, 'test.db')}`),
  libsql: () => inFolder((folder) => `libsql:file:${join(folder, 'test.db')}`),
  async 'libsql-remote'() {
    const server = await startHranaServer();
    return { url: server.url, drop: () => server.close() };
  },
};

function inFolder(url: (folder: string) => string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-test-'));
  return { url: url(folder), drop: () => rmSync(folder, { recursive: true, force: true }) };
}

import type { MigrationSet, Store } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import { defineStatement, redactUrl } from '@bellhop/store';
import { revokedText, storedKey } from '../../keys/environment-key.js';
import { KeyStore } from '../../keys/key-store.js';
import { type Finding, fail, ok, warn } from './finding.js';

/** A clock that is further off is worth mending, though the server's time is used. */
const NOTABLE_OFFSET_MS = 1_000;

const serverFacts = defineStatement({
  label: 'doctor.server',
  operation: 'select',
  table: 'bellhop_migration',
  sql: {
    sqlite: 'SELECT sqlite_version() AS version, (SELECT journal_mode FROM pragma_journal_mode) AS journal',
    postgres: `SELECT current_setting('server_version') AS version, NULL AS journal`,
  },
});

/** Reachable, its version, WAL for a file, the clock against the server's. */
export async function checkServer(store: Store, url: string): Promise<Finding> {
  const { reachable, reason, clockOffsetMs } = await store.health();
  const shown = redactUrl(url);
  if (!reachable) return fail('database', `${shown}: ${reason ?? 'it cannot be reached'}`);
  const [facts] = await store.read<{ version: string; journal: string | null }>(serverFacts, {});
  const parts = [
    `${shown}: ${store.family === 'postgres' ? 'Postgres' : 'SQLite'} ${facts?.version ?? 'of unknown version'}`,
    ...(facts?.journal ? [`journal ${facts.journal}`] : []),
    ...(clockOffsetMs === undefined ? [] : [`its clock is ${clockOffsetMs} ms ahead of this machine's`]),
  ];
  const text = parts.join(', ');
  if (url.includes('file:') && facts?.journal !== 'wal')
    return warn('database', `${text}; WAL is off, so readers and the writer wait for each other`);
  return Math.abs(clockOffsetMs ?? 0) > NOTABLE_OFFSET_MS ? warn('database', text) : ok('database', text);
}

const migrationTable = defineStatement({
  label: 'doctor.migration_table',
  operation: 'select',
  table: 'bellhop_migration',
  sql: {
    sqlite: `SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'bellhop_migration'`,
    postgres: `SELECT to_regclass('bellhop_migration')::text AS name`,
  },
});

const migrations = defineStatement({
  label: 'doctor.migrations',
  operation: 'select',
  table: 'bellhop_migration',
  sql: 'SELECT plugin, number, kind FROM bellhop_migration',
});

/** Which migrations are there, missing, or newer than this code. */
export async function checkSchema(store: Store, sets: readonly MigrationSet[]): Promise<Finding> {
  const [table] = await store.read<{ name: string | null }>(migrationTable, {});
  if (!table?.name) return ok('schema', 'none yet; `bellhop start` or `bellhop migrate` creates it');
  const rows = await store.read<{ plugin: string; number: number; kind: string }>(migrations, {});
  const known = new Map(sets.map((set) => [set.plugin, new Set(set.migrations.map(({ number }) => number))]));
  const newer = rows.filter(({ plugin, number }) => known.has(plugin) && !known.get(plugin)?.has(Number(number)));
  const breaking = newer.find(({ kind }) => kind === 'breaking');
  if (breaking)
    return fail('schema', `${breaking.plugin} has the newer breaking migration ${breaking.number}; run a newer Bellhop on this database`);
  const there = new Set(rows.map(({ plugin, number }) => `${plugin} ${number}`));
  const missing = sets
    .flatMap(({ plugin, migrations: own }) => own.map(({ number }) => `${plugin} ${number}`))
    .filter((one) => !there.has(one));
  if (missing.length > 0) return warn('schema', `to be run at the next start: ${missing.join(', ')}`);
  return ok('schema', `${rows.length} migrations applied${newer.length > 0 ? `, ${newer.length} of them newer and harmless` : ''}`);
}

/** Whether anybody can call the API. */
export async function checkKeys(store: Store, apiKey: string | undefined): Promise<Finding> {
  const [table] = await store.read<{ name: string | null }>(keyTable, {});
  const keys = new KeyStore(store);
  const records = table?.name ? await keys.list() : [];
  const stored = table?.name ? await storedKey(keys, apiKey) : null;
  if (stored && stored.revokedAt !== null) return fail('keys', revokedText(stored));
  const keyInEnvironment = apiKey !== undefined && stored === null;
  const active = records.filter(({ revokedAt }) => revokedAt === null);
  const roots = active.filter(({ organizationId }) => organizationId === null).length;
  const text = `${active.length} active, ${roots} of them root${keyInEnvironment ? ', and BELLHOP_API_KEY' : ''}`;
  if (roots > 0 || keyInEnvironment) return ok('keys', text);
  if (records.every(({ organizationId }) => organizationId !== null)) return ok('keys', `${text}; the next start makes a root key`);
  return warn('keys', `${text}; \`bellhop keys create --root\` makes one`);
}

const keyTable = defineStatement({
  label: 'doctor.key_table',
  operation: 'select',
  table: 'api_key',
  sql: {
    sqlite: `SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'api_key'`,
    postgres: `SELECT to_regclass('api_key')::text AS name`,
  },
});

const createProbe = probeStatement('CREATE TABLE bellhop_write_probe (id INTEGER PRIMARY KEY)');
const insertProbe = probeStatement('INSERT INTO bellhop_write_probe (id) VALUES (1)');

/** Writes, in a transaction that is taken back. */
export async function checkWrite(store: Store): Promise<Finding> {
  const steps = [createProbe, insertProbe].map((statement) => ({ statement, params: {}, scope: PROBE_SCOPE }));
  try {
    // The second insert breaks the key: on a store whose transactions are one batch, that is what takes the first two back.
    await store.batch([...steps, { statement: insertProbe, params: {}, scope: PROBE_SCOPE }]);
  } catch (error) {
    if (error instanceof StoreError || !/unique|duplicate|constraint/i.test(String(error))) throw error;
    return ok('write', 'a test write was made and rolled back');
  }
  throw new Error('the test write of a repeated key was accepted; this is no database that keeps its constraints');
}

const PROBE_SCOPE = { global: 'a table of the doctor, in a transaction that is rolled back' };

function probeStatement(sql: string) {
  return defineStatement({ label: 'doctor.write', operation: 'insert', table: 'bellhop_write_probe', sql });
}

import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '@bellhop/kernel';
import { createIdSource } from '@bellhop/store';
import type Database from 'better-sqlite3';
import { bellhopKinds } from './bellhop.js';
import { jobData } from './contender.js';
import { loadPeer } from './load-peer.js';

/** The floor under `publishMany` on SQLite: a prepared INSERT of the very rows it writes, with nothing made or checked meanwhile. */
export interface RawInsert {
  /** In one transaction. */
  insert(rows: readonly Row[]): void;
  /** Rows as Bellhop stores them, made beforehand: they differ in id and data, as published ones do. */
  rows(count: number, first: number): Row[];
  close(): void;
}

type Row = Readonly<Record<string, unknown>>;

/** @param url an empty SQLite file: it gets Bellhop's tables, and one job of Bellhop's as the pattern. */
export async function openRawInsert(url: string): Promise<RawInsert> {
  const [kind] = bellhopKinds;
  const bellhop = await kind?.open(url);
  await bellhop?.publish(jobData(0));
  await bellhop?.close();
  const { default: Sqlite } = await loadPeer<{ default: typeof Database }>('better-sqlite3');
  const db = new Sqlite(fileURLToPath(url));
  // As Bellhop's own connection.
  for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'temp_store = MEMORY']) db.pragma(pragma);
  const pattern = db.prepare('SELECT * FROM queue_job').get() as Row;
  // A column that is null in all of them need not be bound: that is the quickest such statement.
  const columns = Object.keys(pattern).filter((column) => pattern[column] !== null);
  const insert = db.prepare(`INSERT INTO queue_job (${columns.join(', ')}) VALUES (${columns.map((column) => `:${column}`).join(', ')})`);
  const ids = createIdSource({ clock: systemClock, random: systemRandom });
  return {
    insert: db.transaction((rows: readonly Row[]) => {
      for (const row of rows) insert.run(row);
    }).immediate,
    rows: (count, first) =>
      Array.from({ length: count }, (_, index) => ({ ...pattern, id: ids(), data: JSON.stringify(jobData(first + index)) })),
    close: () => db.close(),
  };
}

/** A database file whose write lock another process holds, and every way to meet it. */
import type { Store } from '@bellhop/contracts';
import { type BusyHolder, busyHolder, type TestDatabase, testDatabase } from '@bellhop/testing';
import { defineStatement } from './define-statement.js';
import { GroupCommit } from './group-commit.js';
import { openStore } from './open-store.js';

export const insertNote = defineStatement({
  label: 'note.insert',
  operation: 'insert',
  table: 'note',
  sql: 'INSERT INTO note (id) VALUES (:id)',
});
export const readNotes = defineStatement({
  label: 'note.read',
  operation: 'select',
  table: 'note',
  sql: 'SELECT id FROM note ORDER BY id',
});
export const note = (id: string) => ({ statement: insertNote, params: { id } });
const addColumn = {
  plugin: 'notes',
  tenantTables: [],
  migrations: [{ number: 1, name: 'body', kind: 'additive' as const, up: () => ['ALTER TABLE note ADD COLUMN body TEXT'] }],
};

/** Every way to write, and what the table then holds. */
export const WRITES: readonly [string, (store: Store) => Promise<unknown>, readonly string[]][] = [
  ['a statement', (store) => store.write(insertNote, { id: 'a' }, undefined), ['a']],
  ['a batch', (store) => store.batch([note('a'), note('b')]), ['a', 'b']],
  [
    'a transaction',
    (store) =>
      store.transaction(async (trx) => {
        await trx('note').insert({ id: 'a' });
        await store.write(insertNote, { id: 'b' }, undefined, { trx });
      }),
    ['a', 'b'],
  ],
  ['a query of the builder', (store) => store.knex('note').insert({ id: 'a' }), ['a']],
  [
    'a transaction begun on the builder, without a callback',
    async (store) => {
      const trx = await store.knex.transaction();
      await trx('note').insert({ id: 'a' });
      await trx.commit();
    },
    ['a'],
  ],
  ['a migration', (store) => store.migrate(addColumn), []],
  [
    'a group commit',
    (store) => {
      const group = new GroupCommit<string, string>({
        store,
        commit: async (ids) => {
          await store.batch(ids.map(note));
          return ids;
        },
      });
      return Promise.all([group.submit('a'), group.submit('b')]);
    },
    ['a', 'b'],
  ],
];

/** Far more than a test keeps the lock. */
const PATIENCE_MS = 3_000;

export interface LockedDatabase {
  readonly database: TestDatabase;
  readonly store: Store;
  readonly holder: BusyHolder;
  ids(): Promise<string[]>;
  drop(): Promise<void>;
}

/** The lock is held when it resolves. */
export async function lockedDatabase(name: 'sqlite' | 'libsql'): Promise<LockedDatabase> {
  const database = await testDatabase(name);
  const store = await openStore({ ...database.options, busyTimeoutMs: PATIENCE_MS });
  await store.knex.schema.createTable('note', (table) => {
    table.string('id').primary();
  });
  const holder = await busyHolder((database.options.url as string).replace(/^.*file:/, ''));
  return {
    database,
    store,
    holder,
    ids: async () => (await store.read<{ id: string }>(readNotes, {})).map(({ id }) => id),
    async drop() {
      await holder.release();
      await store.close();
      await database.drop();
    },
  };
}

/** Resolves when the event loop has turned so many times: it never does in a loop that a lock blocks. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

import type { Store } from '@bellhop/contracts';
import { type BusyHolder, busyHolder, startChild, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { GroupCommit } from './group-commit.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const note = (id: string) => ({ statement: insertNote, params: { id } });
const addColumn = {
  plugin: 'notes',
  tenantTables: [],
  migrations: [{ number: 1, name: 'body', kind: 'additive' as const, up: () => ['ALTER TABLE note ADD COLUMN body TEXT'] }],
};

/** Every way to write, and what the table then holds. */
const WRITES: readonly [string, (store: Store) => Promise<unknown>, readonly string[]][] = [
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

describe.each(['sqlite', 'libsql'] as const)('[busy-retry] another process holds the write lock of %s', (name) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let store: Store;
  let holder: BusyHolder;

  beforeEach(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await store.knex.schema.createTable('note', (table) => {
      table.string('id').primary();
    });
    holder = await busyHolder((database.options.url as string).replace(/^.*file:/, ''));
  });
  afterEach(async () => {
    await holder.release();
    await database.drop();
  });

  const ids = async () => (await store.read<{ id: string }>(readNotes, {})).map(({ id }) => id);
  const shortOfPatience = (busyTimeoutMs: number) => openStore({ ...database.options, busyTimeoutMs });

  it.each(WRITES)('%s waits, off the event loop, and is done once the lock is free', async (_title, write, expected) => {
    let done = false;
    const written = write(store).then(() => {
      done = true;
    });
    await turns(50);
    expect(done).toBe(false);
    expect(await ids()).toEqual([]);
    await holder.release();
    await written;
    expect(await ids()).toEqual(expected);
  });

  it.each(WRITES)('%s that outwaits its budget fails with STORE_BUSY, and nothing is half written', async (_title, write) => {
    const impatient = await shortOfPatience(30);
    const error = (await write(impatient).catch((reason) => reason)) as Error;
    expect(error).toMatchObject({ code: 'STORE_BUSY', message: expect.stringContaining('Nothing was written') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.cause).not.toHaveProperty('code', 'STORE_BUSY');
    await holder.release();
    expect(await ids()).toEqual([]);
    // Nothing of it is left over either: the same call goes through.
    await write(impatient);
    await impatient.close();
  });

  it('a callback whose transaction could not begin never runs (control: it runs when it can)', async () => {
    const impatient = await shortOfPatience(0);
    let ran = 0;
    const run = async () => {
      ran += 1;
    };
    await expect(impatient.transaction(run)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await expect(impatient.knex.transaction(run)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await expect(impatient.knex.transaction()).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await turns(5);
    expect(ran).toBe(0);
    await holder.release();
    await impatient.transaction(run);
    expect(ran).toBe(1);
    await impatient.close();
  });

  it('readers pass a transaction that waits for the lock', async () => {
    const waiting = store.transaction((trx) => trx('note').insert({ id: 'a' }));
    for (let read = 0; read < 5; read += 1) expect(await ids()).toEqual([]);
    expect(await store.knex('note').select()).toEqual([]);
    await holder.release();
    await waiting;
    expect(await ids()).toEqual(['a']);
  });

  it('a holder that dies frees the lock', async () => {
    const written = store.batch([note('a')]);
    await holder.kill();
    await written;
    expect(await ids()).toEqual(['a']);
  });

  it('a script that waits does not end in mid-wait', async () => {
    const child = startChild(new URL('./waiting-script.fixture.ts', import.meta.url), { args: [database.options.url as string] });
    expect(await child.line()).toBe('STORE_BUSY');
    expect(await child.exited).toMatchObject({ code: 0 });
  });

  it('[close-waits] close waits for a write and a transaction that wait, and refuses the next', async () => {
    const written = store.write(insertNote, { id: 'a' }, undefined);
    const committed = store.transaction((trx) => trx('note').insert({ id: 'b' }));
    await turns(5);
    let closed = false;
    const closing = store.close().then(() => {
      closed = true;
    });
    await expect(store.write(insertNote, { id: 'c' }, undefined)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await turns(20);
    expect(closed).toBe(false);
    await holder.release();
    await Promise.all([written, committed, closing]);
    expect(await (await database.open()).knex('note').pluck('id').orderBy('id')).toEqual(['a', 'b']);
  });
});

/** Resolves when the event loop has turned so many times: it never does in a loop that a lock blocks. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

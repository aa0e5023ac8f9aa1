import type { Store } from '@bellhop/contracts';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

const ids = async (store: Store) => (await store.read<{ id: string }>(readNotes, {})).map(({ id }) => id);

describe.each(TEST_STORE_NAMES)('transactions on %s', (name) => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await store.knex.schema.createTable('note', (table) => {
      table.string('id').primary();
    });
  });
  beforeEach(() => store.knex('note').delete());
  afterAll(() => database.drop());

  it('commit what the builder and hot statements wrote, together', async () => {
    await store.transaction(async (trx) => {
      await trx('note').insert({ id: 'a' });
      await store.write(insertNote, { id: 'b' }, undefined, { trx });
    });
    expect(await ids(store)).toEqual(['a', 'b']);
  });

  it('roll everything back when the callback rejects, and pass its error on', async () => {
    const error = new Error('changed my mind');
    await expect(
      store.transaction(async (trx) => {
        await trx('note').insert({ id: 'a' });
        await store.write(insertNote, { id: 'b' }, undefined, { trx });
        throw error;
      }),
    ).rejects.toBe(error);
    expect(await ids(store)).toEqual([]);
  });

  it('nest: an inner rollback takes only its own writes', async () => {
    await store.transaction(async (trx) => {
      await trx('note').insert({ id: 'outer' });
      await trx.transaction(async (inner) => {
        await store.write(insertNote, { id: 'kept' }, undefined, { trx: inner });
      });
      await trx
        .transaction(async (inner) => {
          await store.write(insertNote, { id: 'gone' }, undefined, { trx: inner });
          throw new Error('inner');
        })
        .catch(() => {});
    });
    expect(await ids(store)).toEqual(['kept', 'outer']);
  });

  it('keep the writes of others out while they are open', async () => {
    const finished: string[] = [];
    let outside: Promise<unknown> = Promise.resolve();
    await store
      .transaction(async (trx) => {
        await trx('note').insert({ id: 'inside' });
        // A call that belongs to someone else: not made from this transaction's context.
        outside = fromOutside(() => store.write(insertNote, { id: 'outside' }, undefined).then(() => finished.push('outside')));
        await turn();
        finished.push('still inside');
        throw new Error('roll back');
      })
      .catch(() => {});
    await outside;
    expect(await ids(store)).toEqual(['outside']);
    if (name !== 'postgres' && name !== 'libsql-remote') expect(finished).toEqual(['still inside', 'outside']);
  });

  it('refuse a transaction that has ended, or is none, or is of another database', async () => {
    const ended = await store.transaction(async (trx) => trx as never);
    const write = (trx: unknown) => store.write(insertNote, { id: 'x' }, undefined, { trx: trx as never });
    await expect(write(ended)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(write({})).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const other = await openStore({ url: 'memory:' });
    await other.transaction(async (trx) => {
      await expect(write(trx)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });
    await other.close();
    expect(await ids(store)).toEqual([]);
  });

  it('run a batch whole or not at all', async () => {
    await store.batch([
      { statement: insertNote, params: { id: 'a' } },
      { statement: insertNote, params: { id: 'b' } },
    ]);
    await expect(
      store.batch([
        { statement: insertNote, params: { id: 'c' } },
        { statement: insertNote, params: { id: 'a' } },
      ]),
    ).rejects.toThrow();
    expect(await ids(store)).toEqual(['a', 'b']);
  });

  it('are counted apart from statements', async () => {
    const before = store.meter.snapshot();
    await store.batch([
      { statement: insertNote, params: { id: 'a' } },
      { statement: readNotes, params: {} },
    ]);
    const after = store.meter.snapshot();
    expect(after.statements - before.statements).toBe(2);
    expect(after.writes - before.writes).toBe(1);
    expect(after.transactions - before.transactions).toBe(1);
    if (name === 'libsql-remote') expect(after.roundTrips - before.roundTrips).toBe(1);
  });

  if (name !== 'libsql-remote') {
    it('read their own writes', async () => {
      await store.transaction(async (trx) => {
        await trx('note').insert({ id: 'a' });
        expect(await store.read(readNotes, {}, { trx })).toEqual([{ id: 'a' }]);
      });
    });
  }
});

it('never waits for a lock inside SQLite', async () => {
  const database = await testDatabase('sqlite');
  const store = await database.open();
  expect(await store.knex.raw('PRAGMA busy_timeout')).toEqual([{ timeout: 0 }]);
  expect(await store.knex.raw('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  await database.drop();
});

/** Runs `fn` in the asynchronous context of this module's loading, as another request would. */
function fromOutside<T>(fn: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    outsideQueue.push(() => fn().then(resolve, reject));
    wakeOutside();
  });
}
const outsideQueue: (() => void)[] = [];
let wakeOutside = () => {};
void (async function outsideContext() {
  for (;;) {
    await new Promise<void>((resolve) => {
      wakeOutside = resolve;
    });
    for (const run of outsideQueue.splice(0)) run();
  }
})();

import type { Store } from '@bellhop/contracts';
import { startHranaServer, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { lockedDatabase, turns } from './lock.fixture.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });

describe.each(TEST_STORE_NAMES)('[close-waits] closing %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await testDatabase(name);
    // Without the rule a transaction may be left behind that holds the database.
    store = await openStore({ ...database.options, busyTimeoutMs: 1_000 });
    await store.knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  it('waits for what is under way, an open transaction to its end; every call of close resolves', async () => {
    let begun = () => {};
    let finish = () => {};
    const began = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const mayFinish = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const transaction = store.transaction(async (trx) => {
      await store.write(insertNote, { id: 'first' }, undefined, { trx });
      begun();
      await mayFinish;
      await store.write(insertNote, { id: 'last' }, undefined, { trx });
      await trx('note').insert({ id: 'builder' });
    });
    await began;
    const statement = store.write(insertNote, { id: 'statement' }, undefined);
    const work = Promise.allSettled([transaction, statement]);
    let closed = false;
    const closing = [store.close(), store.close()].map((close) =>
      close.then(() => {
        closed = true;
      }),
    );
    await turns(20);
    const closedTooSoon = closed;
    finish();
    await Promise.all([work, ...closing]);
    expect(closedTooSoon).toBe(false);
    await Promise.all([transaction, statement]);
    if (name === 'memory') return;
    const other = await openStore(database.options);
    expect(await other.knex('note').orderBy('id').pluck('id')).toEqual(['builder', 'first', 'last', 'statement']);
    await other.close();
  });

  it('refuses every later call with STORE_CLOSED', async () => {
    await store.close();
    const closed = { code: 'STORE_CLOSED' };
    await expect(store.read(readNotes, {})).rejects.toMatchObject(closed);
    await expect(store.write(insertNote, { id: 'x' }, undefined)).rejects.toMatchObject(closed);
    await expect(store.batch([{ statement: insertNote, params: { id: 'x' } }])).rejects.toMatchObject(closed);
    await expect(store.batch([{ statement: insertNote, params: { id: 'x' } }], { replayable: true })).rejects.toMatchObject(closed);
    await expect(store.transaction((trx) => trx('note').select())).rejects.toMatchObject(closed);
    await expect(store.knex('note').select()).rejects.toMatchObject(closed);
    await expect(store.migrate({ plugin: 'notes', tenantTables: [], migrations: [] })).rejects.toMatchObject(closed);
    expect(await store.health()).toMatchObject({ reachable: false });
    await store.close();
  });
});

it.each(['sqlite', 'libsql'] as const)(
  '[close-waits] closing %s waits for a write and a transaction that wait for a lock, and refuses the next',
  async (name) => {
    const { database, store, holder, drop } = await lockedDatabase(name);
    const written = store.write(insertNote, { id: 'a' }, undefined);
    const committed = store.transaction((trx) => trx('note').insert({ id: 'b' }));
    const waiting = Promise.allSettled([written, committed]);
    await turns(5);
    let closed = false;
    const closing = store.close().then(() => {
      closed = true;
    });
    const next = store.write(insertNote, { id: 'c' }, undefined);
    next.catch(() => {});
    await turns(20);
    const closedTooSoon = closed;
    await holder.release();
    await Promise.all([waiting, closing]);
    expect(closedTooSoon).toBe(false);
    await expect(next).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await Promise.all([written, committed]);
    expect(await (await database.open()).knex('note').pluck('id').orderBy('id')).toEqual(['a', 'b']);
    await drop();
  },
);

it('[close-waits] closing libsql-remote waits for an exchange that is under way, and refuses the next', async () => {
  const server = await startHranaServer({ latencyMs: 30 });
  const store = await openStore({ url: server.url });
  await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
  let written = false;
  const writing = store.write(insertNote, { id: 'a' }, undefined).then(() => {
    written = true;
  });
  const closing = store.close();
  const next = store.write(insertNote, { id: 'b' }, undefined);
  next.catch(() => {});
  await closing;
  await turns(1);
  const writtenBefore = written;
  await writing;
  expect(writtenBefore).toBe(true);
  await expect(next).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  await server.close();
});

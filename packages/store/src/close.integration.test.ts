import type { Store } from '@bellhop/contracts';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(TEST_STORE_NAMES)('[close-waits] closing %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await store.knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  });
  afterEach(() => database.drop());

  it('waits for what is under way, an open transaction to its end; every call of close resolves', async () => {
    const settled: string[] = [];
    let finish = () => {};
    const open = new Promise<void>((begun) => {
      const transaction = store.transaction(async (trx) => {
        await store.write(insertNote, { id: 'first' }, undefined, { trx });
        begun();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        await store.write(insertNote, { id: 'last' }, undefined, { trx });
        await trx('note').insert({ id: 'builder' });
      });
      void transaction.then(() => settled.push('transaction'));
    });
    await open;
    const statement = store.write(insertNote, { id: 'statement' }, undefined).then(() => settled.push('statement'));
    const closing = [store.close(), store.close()].map((closed) => closed.then(() => settled.push('closed')));
    await turn();
    expect(settled).not.toContain('closed');
    finish();
    await Promise.all([statement, ...closing]);
    await turn();
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

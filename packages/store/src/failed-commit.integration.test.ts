import type { Store } from '@bellhop/contracts';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(TEST_STORE_NAMES)('a transaction that cannot end as it should, on %s', (name) => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open();
    if (store.family === 'sqlite') await store.knex.raw('PRAGMA foreign_keys = ON');
    await store.knex.raw(
      'CREATE TABLE note (id VARCHAR(255) PRIMARY KEY, parent VARCHAR(255) REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED)',
    );
  });
  beforeEach(() => store.knex('note').delete());
  afterAll(() => database.drop());

  const ids = () => store.knex('note').orderBy('id').pluck('id');

  it('the error of the callback is passed on as it is, though it looks like one of the database', async () => {
    const theirs = Object.assign(new Error('connect ECONNREFUSED api.example.org'), { code: 'ECONNREFUSED' });
    await expect(
      store.transaction(async (trx) => {
        await trx('note').insert({ id: 'a' });
        throw theirs;
      }),
    ).rejects.toBe(theirs);
    expect(await ids()).toEqual([]);
  });

  it('keeps values out of the text of an error', async () => {
    await store.write(insertNote, { id: 'private' }, undefined);
    const error = await store
      .knex('note')
      .insert({ id: 'private', nowhere: 'secret' })
      .catch((reason) => reason);
    expect(error.message).toContain('nowhere');
    expect(error.message).not.toContain('secret');
  });

  // The last: without the rule the store is left in the middle of a transaction.
  it('[commit-fails] a refused COMMIT rejects, leaves nothing, wakes nobody, and the next transaction is a fresh one', async () => {
    const called: string[] = [];
    await store.write(insertNote, { id: 'taken' }, undefined);
    const doomed = store.transaction(async (trx) => {
      store.afterCommit(trx, () => called.push('doomed'));
      await store.write(insertNote, { id: 'a' }, undefined, { trx });
      // Both are found out at the commit: a deferred constraint, and remotely any.
      await trx('note').insert(name === 'libsql-remote' ? { id: 'taken' } : { id: 'b', parent: 'nobody' });
    });
    await expect(doomed).rejects.toThrow();
    await turn();
    expect(await ids()).toEqual(['taken']);
    await store.transaction(async (trx) => {
      store.afterCommit(trx, () => called.push('next'));
      await trx('note').insert({ id: 'c' });
    });
    await turn();
    expect(await ids()).toEqual(['c', 'taken']);
    expect(called).toEqual(['next']);
  });
});

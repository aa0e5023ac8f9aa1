import type { Store } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(TEST_STORE_NAMES)('a transaction that cannot end as it should, on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  const warnings: string[] = [];
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (_fields, text) => warnings.push(text as string), child: () => logger };

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ logger });
    if (store.family === 'sqlite') await store.knex.raw('PRAGMA foreign_keys = ON');
    await store.knex.raw(
      'CREATE TABLE note (id VARCHAR(255) PRIMARY KEY, parent VARCHAR(255) REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED)',
    );
  });
  beforeEach(() => store.knex('note').delete());
  afterAll(() => database.drop());

  const ids = () => store.knex('note').orderBy('id').pluck('id');

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

  it('[after-commit] a call back that throws is logged, and the others are called', async () => {
    const called: string[] = [];
    warnings.length = 0;
    await store.transaction(async (trx) => {
      store.afterCommit(trx, () => {
        throw new Error('hook');
      });
      store.afterCommit(trx, () => called.push('other'));
      await trx('note').insert({ id: 'a' });
    });
    await turn();
    expect(called).toEqual(['other']);
    expect(warnings).toHaveLength(1);
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

  if (name === 'postgres') {
    it('[trx-aborted] a swallowed error does not pass for a commit (control: in a nested transaction it may be swallowed)', async () => {
      const called: string[] = [];
      await store.write(insertNote, { id: 'taken' }, undefined);
      const swallow = (transaction: typeof store.transaction) =>
        transaction(async (trx) => {
          store.afterCommit(trx, () => called.push('aborted'));
          await store.write(insertNote, { id: 'a' }, undefined, { trx });
          await store.write(insertNote, { id: 'taken' }, undefined, { trx }).catch(() => {});
        });
      await expect(swallow((fn) => store.transaction(fn))).rejects.toMatchObject({ code: 'TRX_ABORTED' });
      await expect(swallow((fn) => store.knex.transaction(fn))).rejects.toMatchObject({ code: 'TRX_ABORTED' });
      await turn();
      expect(await ids()).toEqual(['taken']);
      await store.transaction(async (trx) => {
        store.afterCommit(trx, () => called.push('committed'));
        await store.write(insertNote, { id: 'a' }, undefined, { trx });
        await trx.transaction((inner) => store.write(insertNote, { id: 'taken' }, undefined, { trx: inner })).catch(() => {});
      });
      await turn();
      expect(called).toEqual(['committed']);
      expect(await ids()).toEqual(['a', 'taken']);
    });
  }
});

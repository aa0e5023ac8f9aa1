import type { Store } from '@bellhop/contracts';
import { postgresDatabase, type ThrowAwayPostgres } from '@bellhop/testing';
import knexFactory from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('on Postgres a swallowed error', () => {
  let database: ThrowAwayPostgres;
  let store: Store;
  let called: string[];

  beforeAll(async () => {
    database = await postgresDatabase();
    store = await openStore({ url: database.url });
    await store.knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  });
  beforeEach(async () => {
    called = [];
    await store.knex('note').delete();
    await store.knex('note').insert({ id: 'taken' });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const ids = () => store.knex('note').orderBy('id').pluck('id');

  it('[trx-aborted] does not pass for a commit (control: in a nested transaction it may be swallowed)', async () => {
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

  it('[trx-aborted] does not pass for a commit on the application’s own knex, where the store’s rows are part of it', async () => {
    const knex = knexFactory({ client: 'pg', connection: database.url, pool: { min: 0, max: 3 } });
    const adopted = await openStore({ knex });
    const swallow = (transaction: typeof adopted.transaction) =>
      transaction(async (trx) => {
        await trx.transaction((inner) => adopted.write(insertNote, { id: 'a' }, undefined, { trx: inner }));
        adopted.afterCommit(trx, () => called.push('aborted'));
        await trx('note')
          .insert({ id: 'taken' })
          .catch(() => {});
      });
    try {
      await expect(swallow((fn) => adopted.transaction(fn))).rejects.toMatchObject({ code: 'TRX_ABORTED' });
      await expect(swallow((fn) => knex.transaction(fn))).rejects.toMatchObject({ code: 'TRX_ABORTED' });
      await turn();
      expect(called).toEqual([]);
      expect(await ids()).toEqual(['taken']);
    } finally {
      await adopted.close();
      await knex.destroy();
    }
  });
});

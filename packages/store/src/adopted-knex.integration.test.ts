import type { Store } from '@bellhop/contracts';
import { postgresDatabase, type ThrowAwayPostgres } from '@bellhop/testing';
import knexFactory, { type Knex } from 'knex';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(['better-sqlite3', 'pg'] as const)('a knex instance of the application, %s', (client) => {
  let database: ThrowAwayPostgres | undefined;
  let knex: Knex;
  let store: Store;
  beforeAll(async () => {
    if (client === 'pg') database = await postgresDatabase();
  });
  beforeEach(async () => {
    knex = database
      ? knexFactory({ client, connection: database.url, pool: { min: 0, max: 3 } })
      : knexFactory({ client, connection: { filename: ':memory:' }, useNullAsDefault: true });
    store = await openStore({ knex });
    await knex.raw('DROP TABLE IF EXISTS note');
    await knex.schema.createTable('note', (table) => {
      table.string('id').primary();
    });
  });
  afterEach(async () => {
    await store.close();
    await knex.destroy();
  });
  afterAll(() => database?.drop());

  const ids = async () => (await store.read<{ id: string }>(readNotes, {})).map(({ id }) => id);

  it('serves statements, batches, transactions and migrations', async () => {
    await store.write(insertNote, { id: 'a' }, undefined);
    await store.batch([
      { statement: insertNote, params: { id: 'b' } },
      { statement: insertNote, params: { id: 'c' } },
    ]);
    await store.transaction((trx) => store.write(insertNote, { id: 'd' }, undefined, { trx }));
    const migration = { number: 1, name: 'x', kind: 'additive' as const, up: () => ['CREATE TABLE other (id VARCHAR(10))'] };
    await store.migrate({ plugin: 'notes', tenantTables: [], migrations: [migration] });
    expect(await ids()).toEqual(['a', 'b', 'c', 'd']);
    const rows: unknown[] = [];
    expect(await store.readRows(readNotes, {}, (row) => rows.push(row))).toBe(4);
    expect(rows).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }]);
    expect(await store.health()).toMatchObject({ reachable: true });
  });

  it('[adopted] joins the application’s own transactions: commits with them, and calls back after', async () => {
    const called: string[] = [];
    await knex.transaction(async (trx) => {
      await trx('note').insert({ id: 'a' });
      await store.write(insertNote, { id: 'b' }, undefined, { trx });
      await trx.transaction(async (inner) => {
        await store.write(insertNote, { id: 'c' }, undefined, { trx: inner });
        store.afterCommit(inner, () => called.push('nested'));
      });
      store.afterCommit(trx, () => called.push('root'));
      await turn();
      expect(called).toEqual([]);
    });
    await turn();
    expect(called.sort()).toEqual(['nested', 'root']);
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('[adopted] vanishes with them, and calls nobody back', async () => {
    const called: string[] = [];
    const rolledBack = knex.transaction(async (trx) => {
      await store.write(insertNote, { id: 'a' }, undefined, { trx });
      store.afterCommit(trx, () => called.push('rolled back'));
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    const begun = await knex.transaction();
    await store.write(insertNote, { id: 'b' }, undefined, { trx: begun });
    store.afterCommit(begun, () => called.push('rolled back by hand'));
    await begun.rollback();
    await turn();
    expect(await ids()).toEqual([]);
    expect(called).toEqual([]);
  });

  it('[adopted] refuses a transaction of another instance, and one that has ended', async () => {
    const other = knexFactory({ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true });
    await other.transaction(async (trx) => {
      await expect(store.write(insertNote, { id: 'x' }, undefined, { trx })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });
    await other.destroy();
    const ended = await knex.transaction();
    await ended.commit();
    await expect(store.write(insertNote, { id: 'x' }, undefined, { trx: ended })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await ids()).toEqual([]);
  });

  it('[adopted] counts the application’s queries too', async () => {
    const before = store.meter.snapshot();
    await knex('note').insert({ id: 'a' });
    await knex.transaction((trx) => trx('note').select());
    const after = store.meter.snapshot();
    expect(after.statements - before.statements).toBe(2);
    expect(after.writes - before.writes).toBe(1);
    expect(after.transactions - before.transactions).toBe(1);
  });

  it('[adopted] leaves the instance as it was when it closes, and open', async () => {
    const { transaction } = knex.client as { transaction: unknown };
    const second = await openStore({ knex });
    await second.close();
    expect((knex.client as { transaction: unknown }).transaction).toBe(transaction);
    for (const call of [
      () => second.read(readNotes, {}),
      () => second.write(insertNote, { id: 'x' }, undefined),
      () => second.batch([{ statement: insertNote, params: { id: 'x' } }]),
      () => second.transaction(async () => {}),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    }
    const counted = second.meter.snapshot().statements;
    await knex('note').insert({ id: 'a' });
    expect(second.meter.snapshot().statements).toBe(counted);
    expect(await ids()).toEqual(['a']);
  });

  if (client === 'pg') {
    it('[adopted] a call beside the open transaction has a connection of its own (on Postgres it waits for nothing)', async () => {
      await knex.transaction(async (trx) => {
        await store.write(insertNote, { id: 'inside' }, undefined, { trx });
        await store.write(insertNote, { id: 'beside' }, undefined);
        expect(await ids()).toEqual(['beside']);
      });
      expect(await ids()).toEqual(['beside', 'inside']);
    });
  }
});

it('[adopted] an instance of a client that no store speaks is refused', async () => {
  const mysql = knexFactory({ client: class extends knexFactory.Client {} as never });
  await expect(openStore({ knex: mysql })).rejects.toMatchObject({ code: 'STORE_URL' });
});

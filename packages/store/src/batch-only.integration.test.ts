import type { Store } from '@bellhop/contracts';
import { type HranaServer, startHranaServer } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const refused = { code: 'BATCH_ONLY' };

describe('a transaction of remote libSQL', () => {
  let server: HranaServer;
  let store: Store;
  beforeEach(async () => {
    server = await startHranaServer();
    store = await openStore({ url: server.url });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
    server.resetCounts();
  });
  afterEach(async () => {
    await store.close();
    await server.close();
  });

  const ids = async () => (await store.read<{ id: string }>(readNotes, {})).map(({ id }) => id);

  it('[batch-only] sends all its writes in one exchange at the commit, and answers none of them before', async () => {
    await store.transaction(async (trx) => {
      await trx('note').insert({ id: 'a' });
      expect(await store.write(insertNote, { id: 'b' }, undefined, { trx })).toEqual({ rows: [], changes: null });
      expect(server.requests).toBe(0);
    });
    expect(server.requests).toBe(1);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('[batch-only] refuses a read, whichever way it comes; the transaction goes on', async () => {
    await store.transaction(async (trx) => {
      await expect(store.read(readNotes, {}, { trx })).rejects.toMatchObject(refused);
      await expect(trx('note').select()).rejects.toMatchObject(refused);
      await expect(trx('note').insert({ id: 'r' }).returning('id')).rejects.toMatchObject(refused);
      await trx('note').insert({ id: 'a' });
    });
    expect(await ids()).toEqual(['a']);
  });

  it('[batch-only] sends nothing after a rollback', async () => {
    const rolledBack = store.transaction(async (trx) => {
      await trx('note').insert({ id: 'a' });
      await store.write(insertNote, { id: 'b' }, undefined, { trx });
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    expect(server.requests).toBe(0);
    expect(await ids()).toEqual([]);
  });

  it('[batch-only] sends nothing of a nested transaction that was rolled back', async () => {
    await store.transaction(async (trx) => {
      await trx('note').insert({ id: 'outer' });
      await trx.transaction((inner) => store.write(insertNote, { id: 'kept' }, undefined, { trx: inner }));
      const nested = trx.transaction(async (inner) => {
        await store.write(insertNote, { id: 'gone' }, undefined, { trx: inner });
        throw new Error('inner');
      });
      await expect(nested).rejects.toThrow('inner');
    });
    expect(await ids()).toEqual(['kept', 'outer']);
  });

  it.each([
    ['insert into "note" ("id") values (\'select returning\')', true],
    ['with x as (select 1 as id) insert into "note" ("id") select id from x', true],
    ['WITH x AS (SELECT 1), y (a) AS (SELECT (2)) DELETE FROM note WHERE id IN (SELECT * FROM x)', true],
    ['replace into note (id) values (1)', true],
    ['with x as (select 1 as id) select * from x', false],
    ['insert into note (id) values (1) returning id', false],
    ['select 1', false],
    ['pragma table_info(note)', false],
  ])('[batch-only] %s: a write to be sent: %s', async (sql, write) => {
    const sent = store.transaction((trx) => trx.raw(sql));
    if (write) await sent;
    else await expect(sent).rejects.toMatchObject(refused);
    expect(server.requests).toBe(write ? 1 : 0);
  });
});

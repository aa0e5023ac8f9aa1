import type { Store } from '@bellhop/contracts';
import { postgresDatabase, type ThrowAwayPostgres } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const isBegin = (text: unknown) => typeof text === 'string' && text.startsWith('BEGIN');
const note = (id: string) => ({ statement: insertNote, params: { id } });

interface Connection {
  query(...args: unknown[]): unknown;
}
interface Pool {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
}

describe('on Postgres a batch whose BEGIN fails', () => {
  let database: ThrowAwayPostgres;
  let store: Store;
  /** What was asked on the one connection that the store has. */
  let asked: unknown[];

  beforeEach(async () => {
    database = await postgresDatabase();
    store = await openStore({ url: database.url, poolSize: 1 });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
    asked = [];
    const pool = store.knex.client as Pool;
    const connection = await pool.acquireConnection();
    const query = connection.query;
    // The client's own time-out of the BEGIN: it is on its way, and would be answered after the caller has gone.
    connection.query = function (this: unknown, ...args: unknown[]) {
      asked.push(args[0]);
      const answer = query.apply(this, args);
      if (!isBegin(args[0])) return answer;
      void (answer as Promise<unknown>).catch(() => {});
      return Promise.reject(new Error('Query read timeout'));
    };
    await pool.releaseConnection(connection);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  it('[begin-fails] runs no statement of it', async () => {
    await expect(store.batch([note('a')])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(asked.map(isBegin)).toEqual([true]);
  });

  it('[begin-fails] hands its connection on to nobody: what is written there would wait for a commit that never comes', async () => {
    await store.batch([note('a')]).catch(() => {});
    const askedOfBatch = asked.length;
    await store.write(insertNote, { id: 'b' }, undefined);
    expect(asked).toHaveLength(askedOfBatch);
    const other = await openStore({ url: database.url });
    expect(await other.knex('note').where({ id: 'b' }).pluck('id')).toEqual(['b']);
    await other.close();
  });
});

import type { Store } from '@bellhop/contracts';
import { postgresDatabase, type ThrowAwayPostgres } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const touchNote = defineStatement({
  label: 'note.touch',
  operation: 'update',
  table: 'note',
  sql: 'UPDATE note SET n = n + 1 WHERE id = :id',
});
const touch = (id: string) => ({ statement: touchNote, params: { id } });

interface Connection {
  query(...args: unknown[]): Promise<unknown>;
}
interface Pool {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
}

describe('on Postgres a process that is suspended, or blocked, in the middle of a batch', () => {
  let database: ThrowAwayPostgres;
  let blocked: Store;
  let other: Store;
  let goOn: () => void;
  /** Resolves when the batch has its first row, and its process gets no further. */
  let halfDone: Promise<void>;

  beforeEach(async () => {
    database = await postgresDatabase();
    blocked = await openStore({ url: database.url, poolSize: 1 });
    other = await openStore({ url: database.url, statementTimeoutMs: 15_000 });
    await other.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0)');
    await other.knex('note').insert([{ id: 'a' }, { id: 'b' }]);
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const pool = blocked.knex.client as Pool;
    const connection = await pool.acquireConnection();
    const query = connection.query;
    halfDone = new Promise((resolve) => {
      connection.query = async function (this: unknown, ...args: unknown[]) {
        const answer = await query.apply(this, args);
        if (typeof args[0] !== 'string') {
          resolve();
          await gate;
        }
        return answer;
      };
    });
    await pool.releaseConnection(connection);
  });
  afterEach(async () => {
    await blocked.close();
    await other.close();
    await database.drop();
  });

  it('keeps its locks from others for seconds, not until it goes on; what it had begun is undone, and it is told', async () => {
    const batch = expect(blocked.batch([touch('a'), touch('b')])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await halfDone;
    await other.write(touchNote, { id: 'a' }, undefined);
    goOn();
    await batch;
    expect(await other.knex('note').orderBy('id').pluck('n')).toEqual([1, 0]);
    await blocked.batch([touch('a'), touch('b')]);
    expect(await other.knex('note').orderBy('id').pluck('n')).toEqual([2, 1]);
  }, 40_000);

  it('which goes on in time, has done nothing wrong (control)', async () => {
    const batch = blocked.batch([touch('a'), touch('b')]);
    await halfDone;
    goOn();
    await batch;
    expect(await other.knex('note').orderBy('id').pluck('n')).toEqual([1, 1]);
  });
});

import type { Store } from '@bellhop/contracts';
import { HRANA_FAULTS, type HranaFault, type HranaServer, startHranaServer, tcpProxy } from '@bellhop/testing';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({
  label: 'note.insert',
  operation: 'insert',
  table: 'note',
  sql: 'INSERT INTO note (id) VALUES (:id) ON CONFLICT DO NOTHING',
});
const addOne = defineStatement({ label: 'note.add', operation: 'update', table: 'note', sql: 'UPDATE note SET n = n + 1' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const note = (id: string) => ({ statement: insertNote, params: { id } });

/** The server says that it ran nothing, so that sending again is harmless whatever was sent. */
const KNOWN_NOT_TO_HAVE_RUN: readonly HranaFault[] = ['streamExpired', 'busy'];

describe.each(HRANA_FAULTS)('remote libSQL, %s', (fault) => {
  let server: HranaServer;
  let store: Store;
  beforeEach(async () => {
    server = await startHranaServer({ busyTimeoutMs: 0 });
    store = await openStore({ url: server.url });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0)');
    await store.write(insertNote, { id: 'first' }, undefined);
  });
  afterEach(async () => {
    await store.close();
    await server.close();
  });

  /** What the database holds, seen from beside the server. */
  function rows(): unknown[] {
    const db = new Database(server.file, { readonly: true });
    try {
      return db.prepare('SELECT id, n FROM note ORDER BY id').raw().all();
    } finally {
      db.close();
    }
  }

  it('a read heals', async () => {
    server.failNext(fault, 2);
    expect(await store.read(readNotes, {})).toEqual([{ id: 'first' }]);
  });

  it('a replayable batch heals, and doubles nothing', async () => {
    server.failNext(fault, 2);
    await store.batch([note('a'), note('b')], { replayable: true });
    expect(rows()).toEqual([
      ['a', 0],
      ['b', 0],
      ['first', 0],
    ]);
  });

  it('any other write is sent again only where the server did not run it', async () => {
    const writes: readonly (() => Promise<unknown>)[] = [
      () => store.write(addOne, {}, undefined),
      () => store.batch([{ statement: addOne, params: {} }]),
      () => store.transaction((trx) => trx('note').increment('n')),
      () => store.knex('note').increment('n'),
    ];
    let applied = 0;
    for (const write of writes) {
      server.failNext(fault);
      if (KNOWN_NOT_TO_HAVE_RUN.includes(fault)) await write();
      else {
        const error = (await write().catch((reason) => reason)) as Error;
        expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('may or may not have happened') });
        expect(error.cause).toBeInstanceOf(Error);
      }
      if (KNOWN_NOT_TO_HAVE_RUN.includes(fault) || fault === 'dropAfterApply') applied += 1;
      expect(rows()).toEqual([['first', applied]]);
    }
    // It heals without a restart.
    await store.write(addOne, {}, undefined);
    expect(rows()).toEqual([['first', applied + 1]]);
  });

  it('a migration runs once', async () => {
    // Made while the migration is put together: between the look and the exchange that carries it.
    let calls = 0;
    const breakNext = () => {
      if (calls === 0) server.failNext(fault);
      calls += 1;
      return ['CREATE TABLE other (id TEXT PRIMARY KEY)'];
    };
    const migrations = [{ number: 1, name: 'x', kind: 'additive' as const, up: breakNext }];
    const set = { plugin: 'notes', tenantTables: [], migrations };
    server.failNext(fault);
    await store.migrate(set);
    expect(await store.knex('bellhop_migration').pluck('number')).toEqual([1]);
  });

  it('leaves no stream open', async () => {
    server.failNext(fault);
    await store.write(addOne, {}, undefined).catch(() => {});
    await store.read(readNotes, {});
    expect(server.openStreams).toBe(0);
  });
});

describe('remote libSQL', () => {
  it('a wrong token is told from a server that is not there, at the start and later', async () => {
    const server = await startHranaServer({ authToken: 'right' });
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(/credentials.*auth token/) };
    await expect(openStore({ url: server.url, authToken: 'wrong-secret' })).rejects.toMatchObject(refused);
    await expect(openStore({ url: server.url })).rejects.toMatchObject(refused);
    const store = await openStore({ url: server.url, authToken: 'right' });
    await store.close();
    const { url } = server;
    await server.close();
    await expect(openStore({ url })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/cannot be reached/),
    });
  });

  it('a server that stays away fails a migration as what it is', async () => {
    const server = await startHranaServer();
    const store = await openStore({ url: server.url });
    await server.close();
    await expect(store.migrate({ plugin: 'notes', tenantTables: [], migrations: [] })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await store.close();
  });

  it('a server that stays silent is given up after the statement’s time', async () => {
    const server = await startHranaServer();
    const proxy = await tcpProxy(Number(new URL(server.url).port));
    const store = await openStore({ url: proxy.through(server.url), statementTimeoutMs: 100 });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
    proxy.blackhole();
    await expect(store.write(insertNote, { id: 'a' }, undefined)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    proxy.heal();
    await store.write(insertNote, { id: 'b' }, undefined);
    await store.close();
    await proxy.close();
    await server.close();
  });

  it('a lock that is held for longer than the budget is STORE_BUSY, and nothing was written', async () => {
    const server = await startHranaServer({ busyTimeoutMs: 0 });
    const store = await openStore({ url: server.url, busyTimeoutMs: 30 });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
    const holder = new Database(server.file);
    holder.exec('BEGIN IMMEDIATE');
    await expect(store.write(insertNote, { id: 'a' }, undefined)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await expect(store.batch([note('a'), note('b')])).rejects.toMatchObject({ code: 'STORE_BUSY' });
    holder.exec('ROLLBACK');
    holder.close();
    expect(await store.read(readNotes, {})).toEqual([]);
    await store.close();
    await server.close();
  });
});

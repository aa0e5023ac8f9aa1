import type { Store } from '@bellhop/contracts';
import { postgresDatabase, startChild, type TcpProxy, type ThrowAwayPostgres, tcpProxy } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';
import type { StoreOptions } from './store-options.js';

const insertNote = defineStatement({
  label: 'note.insert',
  operation: 'insert',
  table: 'note',
  sql: 'INSERT INTO note (id) VALUES (:id) ON CONFLICT DO NOTHING',
});
const updateNote = defineStatement({
  label: 'note.touch',
  operation: 'update',
  table: 'note',
  sql: 'UPDATE note SET n = n + 1 WHERE id = :id',
});
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const endSession = defineStatement({
  label: 'session.end',
  operation: 'select',
  table: 'note',
  sql: 'SELECT pg_terminate_backend(pg_backend_pid())',
});
const note = (id: string) => ({ statement: insertNote, params: { id } });
const unavailable = { code: 'STORE_UNAVAILABLE' };

/** What would have ended the process. */
const escaped: unknown[] = [];
const noteEscape = (error: unknown) => escaped.push(error);
beforeAll(() => {
  process.on('unhandledRejection', noteEscape);
  process.on('uncaughtException', noteEscape);
});
afterEach(async () => {
  await turns(5);
  expect(escaped.splice(0)).toEqual([]);
});
afterAll(() => {
  process.off('unhandledRejection', noteEscape);
  process.off('uncaughtException', noteEscape);
});

it('counts what escapes (control of every other test here)', async () => {
  void Promise.reject(new Error('nobody listens'));
  await turns(5);
  expect(escaped.splice(0)).toHaveLength(1);
});

describe('a Postgres whose connections an administrator ends', () => {
  let database: ThrowAwayPostgres;
  let store: Store;

  beforeAll(async () => {
    database = await postgresDatabase();
    store = await openStore({ url: database.url, poolSize: 3 });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0)');
  });
  beforeEach(() => store.knex('note').delete());
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const ids = async () => (await store.read<{ id: string }>(readNotes, {})).map(({ id }) => id);
  /** A pool of open, idle connections. */
  const fillPool = () => Promise.all([1, 2, 3].map(() => store.knex.raw('SELECT pg_sleep(0.05)')));

  it('heals when they were idle: reads, writes, batches, transactions and the builder', async () => {
    const uses: ((id: string) => Promise<unknown>)[] = [
      () => ids(),
      (id) => store.batch([note(id)], { replayable: true }),
      (id) => store.write(insertNote, { id }, undefined),
      (id) => store.transaction((trx) => store.write(insertNote, { id }, undefined, { trx })),
      (id) => store.knex('note').insert({ id }),
    ];
    for (const [index, use] of uses.entries()) {
      await fillPool();
      expect(await database.kill()).toBeGreaterThan(0);
      await turns(20);
      await use(String(index));
    }
    expect(await ids()).toEqual(['1', '2', '3', '4']);
  });

  it('loses an open transaction whole, says so, and goes on', async () => {
    const lost = store.transaction(async (trx) => {
      await store.write(insertNote, { id: 'a' }, undefined, { trx });
      await database.kill();
      await store.write(insertNote, { id: 'b' }, undefined, { trx });
    });
    await expect(lost).rejects.toMatchObject({ ...unavailable, cause: expect.any(Error) });
    const lostByBuilder = store.transaction(async (trx) => {
      await trx('note').insert({ id: 'a' });
      await database.kill();
      await trx('note').insert({ id: 'b' });
    });
    await expect(lostByBuilder).rejects.toMatchObject(unavailable);
    const lostAtCommit = store.transaction(async (trx) => {
      await trx('note').insert({ id: 'a' });
      await database.kill();
    });
    await expect(lostAtCommit).rejects.toMatchObject(unavailable);
    expect(await ids()).toEqual([]);
  });

  it('loses a batch in its middle whole; sends it again where that is harmless (control: not where it is not)', async () => {
    const broken = [note('a'), { statement: endSession, params: {} }, note('b')];
    await expect(store.batch(broken)).rejects.toMatchObject(unavailable);
    expect(await ids()).toEqual([]);
    // The session ends once: a sequence counts on, whatever is rolled back.
    await store.knex.raw('CREATE SEQUENCE ended');
    const endOnce = defineStatement({
      label: 'session.endOnce',
      operation: 'select',
      table: 'note',
      sql: `SELECT CASE WHEN nextval('ended') = 1 THEN (SELECT pg_terminate_backend(other.pid) FROM pg_stat_activity AS other
        WHERE other.pid = pg_backend_pid()) END`,
    });
    const before = store.meter.snapshot().byLabel['note.insert']?.statements ?? 0;
    await store.batch([note('a'), { statement: endOnce, params: {} }, note('b')], { replayable: true });
    expect(await ids()).toEqual(['a', 'b']);
    expect((store.meter.snapshot().byLabel['note.insert']?.statements ?? 0) - before).toBeGreaterThan(2);
    await store.knex.raw('DROP SEQUENCE ended');
  });

  it('a deadlock of two batches is resolved by running the victim again', async () => {
    await store.batch([note('a'), note('b')]);
    const touch = (id: string) => ({ statement: updateNote, params: { id } });
    const hold = defineStatement({ label: 'note.hold', operation: 'select', table: 'note', sql: 'SELECT pg_sleep(0.2)' });
    const pause = { statement: hold, params: {} };
    const before = store.meter.snapshot().byLabel['note.touch']?.statements ?? 0;
    await Promise.all([store.batch([touch('a'), pause, touch('b')]), store.batch([touch('b'), pause, touch('a')])]);
    expect(await store.knex('note').orderBy('id').pluck('n')).toEqual([2, 2]);
    // Control: there was a deadlock, four statements would have done without.
    expect((store.meter.snapshot().byLabel['note.touch']?.statements ?? 0) - before).toBeGreaterThan(4);
  });

  it('a statement that takes too long is given up by the server, and says what to do', async () => {
    const hasty = await openStore({ url: database.url, statementTimeoutMs: 100 });
    const sleep = defineStatement({ label: 'sleep', operation: 'select', table: 'note', sql: 'SELECT pg_sleep(30)' });
    await expect(hasty.read(sleep, {})).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringContaining('statementTimeoutMs'),
    });
    // Migrations have the time they need, beyond the 5 s that the client waits longer than the server.
    const slow = { number: 1, name: 'slow', kind: 'additive' as const, up: () => ['SELECT pg_sleep(5.3)'] };
    await hasty.migrate({ plugin: 'slow', tenantTables: [], migrations: [slow] });
    await hasty.close();
  });

  it('a pool without a free connection says so instead of waiting for ever', async () => {
    const small = await openStore({ url: database.url, poolSize: 1 });
    (small.knex.client as { pool: { acquireTimeoutMillis: number } }).pool.acquireTimeoutMillis = 50;
    await small.transaction(async () => {
      await expect(small.read(readNotes, {})).rejects.toMatchObject(unavailable);
    });
    expect(await small.read(readNotes, {})).toEqual([]);
    await small.close();
  });

  it('wrong credentials are told from a server that is not there', async () => {
    const wrong = new URL(database.url);
    wrong.password = 'wrong-secret';
    const refused = await openStore({ url: wrong.href }).catch((error) => error);
    expect(refused).toMatchObject({ ...unavailable, message: expect.stringMatching(/credentials/) });
    expect(refused.message).not.toContain('wrong-secret');
    wrong.port = '1';
    await expect(openStore({ url: wrong.href })).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringMatching(/cannot be reached/),
    });
  });
});

describe('a Postgres server that goes away and comes back', () => {
  let database: ThrowAwayPostgres;
  let store: Store;

  beforeAll(async () => {
    database = await postgresDatabase({ ownServer: true });
    store = await openStore({ url: database.url });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it.each(['fast', 'immediate'] as const)('heals after a %s restart', async (mode) => {
    await store.batch([note(`before ${mode}`)]);
    await database.restart(mode);
    await turns(20);
    expect(await store.read(readNotes, {})).toContainEqual({ id: `before ${mode}` });
    await store.write(insertNote, { id: `after ${mode}` }, undefined);
    expect(await store.read(readNotes, {})).toContainEqual({ id: `after ${mode}` });
  });

  it('is reported while it is down, and a read that is on its way outlasts a short absence', async () => {
    await database.pause('fast');
    await turns(20);
    expect(await store.health()).toMatchObject({ reachable: false, reason: expect.stringContaining('cannot be reached') });
    await expect(store.write(insertNote, { id: 'x' }, undefined)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(store.read(readNotes, {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await database.resume();
    expect(await store.health()).toMatchObject({ reachable: true });
    expect(await store.read(readNotes, {})).not.toContainEqual({ id: 'x' });
  });

  it('a store closes though the server is down', async () => {
    const other = await openStore({ url: database.url });
    await other.read(readNotes, {});
    await database.pause('immediate');
    await other.close();
    await expect(other.read(readNotes, {})).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await database.resume();
  });
});

describe('a Postgres that is not heard from any more', () => {
  let database: ThrowAwayPostgres;
  let proxy: TcpProxy;
  beforeAll(async () => {
    database = await postgresDatabase();
    proxy = await tcpProxy(Number(new URL(database.url).port));
    const direct = await openStore({ url: database.url });
    await direct.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
    await direct.close();
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });
  // 5 s is what the client waits longer than the server.
  const through = (options: StoreOptions = {}) => openStore({ url: proxy.through(database.url), statementTimeoutMs: 100, ...options });

  it('is given up after the statement’s time, and its connections are not used again', async () => {
    const store = await through();
    await store.write(insertNote, { id: 'a' }, undefined);
    const transaction = await store.knex.transaction();
    proxy.blackhole();
    const outcomes = await Promise.allSettled([
      store.write(insertNote, { id: 'b' }, undefined),
      store.batch([note('c')]),
      store.knex('note').insert({ id: 'd' }),
      transaction('note').insert({ id: 'e' }),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'fulfilled'))).toEqual(
      Array(4).fill('STORE_UNAVAILABLE'),
    );
    const before = proxy.accepted;
    proxy.heal();
    await transaction.rollback().catch(() => {});
    await store.write(insertNote, { id: 'f' }, undefined);
    expect(proxy.accepted).toBeGreaterThan(before);
    await store.close();
  }, 60_000);

  it('does not keep a store from closing', async () => {
    const store = await through();
    await store.read(readNotes, {});
    proxy.blackhole();
    await store.close();
  });

  it('does not keep the process alive', async () => {
    const child = startChild(new URL('./postgres-silent.fixture.ts', import.meta.url), { args: [proxy.through(database.url)] });
    await child.line(/open/);
    proxy.blackhole();
    child.send('close');
    await child.line(/closed/);
    expect(await child.exited).toMatchObject({ code: 0 });
  });

  it('cut connections heal', async () => {
    const store = await through();
    for (const use of [() => store.read(readNotes, {}), () => store.batch([note('g')], { replayable: true })]) {
      await use();
      expect(proxy.cut()).toBeGreaterThan(0);
      await use();
    }
    await store.close();
  });
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

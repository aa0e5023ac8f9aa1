import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import timers from 'node:timers/promises';
import { type Client, createClient, type InArgs } from '@libsql/client';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../manual-clock.js';
import { type HranaServer, type HranaServerOptions, startHranaServer } from './hrana-server.js';
import type { HranaErrorBody, HranaStatementResult } from './wire.js';

let server: HranaServer;
let client: Client;

async function start(options: HranaServerOptions = {}): Promise<void> {
  server = await startHranaServer(options);
  client = createClient({ url: server.url, intMode: 'bigint' });
}

async function names(): Promise<unknown[]> {
  return (await client.execute('SELECT name FROM item ORDER BY id')).rows.map((row) => row.name);
}

async function post(path: string, body: unknown): Promise<{ status: number; json: ReturnType<typeof JSON.parse>; text: string }> {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : undefined,
  };
}

beforeEach(async () => {
  await start();
  await client.execute('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, weight REAL, data BLOB)');
});

afterEach(async () => {
  vi.useRealTimers();
  client.close();
  await server.close();
});

describe('execute', () => {
  it('carries every type both ways', async () => {
    const big = 9_007_199_254_740_993n;
    const blob = new Uint8Array([0, 1, 254, 255]);
    const sql = 'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, typeof(?) AS f';
    const { columns, rows } = await client.execute({ sql, args: [null, big, 1.5, 'naïve \u{1f514}', blob, 5n] });
    expect(columns).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(rows[0]).toMatchObject({ a: null, b: big, c: 1.5, d: 'naïve \u{1f514}', f: 'integer' });
    expect(new Uint8Array(rows[0]?.e as ArrayBuffer)).toEqual(blob);
  });

  it('reports affected rows, the last rowid and declared types', async () => {
    const inserted = await client.execute("INSERT INTO item (name) VALUES ('a'), ('b')");
    expect(inserted).toMatchObject({ rowsAffected: 2, lastInsertRowid: 2n });
    const updated = await client.execute("UPDATE item SET weight = 2 WHERE name = 'a'");
    expect(updated).toMatchObject({ rowsAffected: 1, lastInsertRowid: undefined });
    const read = await client.execute('SELECT id, name, weight, 1 + 1 AS two FROM item WHERE id = 1');
    expect(read).toMatchObject({ rowsAffected: 0, columnTypes: ['INTEGER', 'TEXT', 'REAL', ''] });
    expect((await client.execute("UPDATE item SET weight = 3 WHERE name = 'nobody'")).rowsAffected).toBe(0);
  });

  it('returns the rows of RETURNING with their count', async () => {
    await client.execute("INSERT INTO item (name) VALUES ('a'), ('b')");
    const result = await client.execute({ sql: 'UPDATE item SET weight = ? WHERE id > 0 RETURNING id, weight', args: [4.5] });
    expect(result.rowsAffected).toBe(2);
    expect(result.rows.map(({ id, weight }) => [id, weight])).toEqual([
      [1n, 4.5],
      [2n, 4.5],
    ]);
  });

  it('binds positional, numbered and named arguments', async () => {
    const read = async (sql: string, args: InArgs) => Object.values((await client.execute({ sql, args })).rows[0] ?? {});
    expect(await read('SELECT ?2 AS a, ?1 AS b, ? AS c', ['x', 'y', 'z'])).toEqual(['y', 'x', 'z']);
    expect(await read('SELECT :a AS a, $b AS b, @c AS c, :a AS d', { a: 1n, $b: 2n, c: null })).toEqual([1n, 2n, null, 1n]);
    expect(await read('SELECT :a AS a, :b AS b', ['first', 'second'])).toEqual(['first', 'second']);
    await expect(read('SELECT ?, ?', ['one'])).rejects.toMatchObject({ code: 'ARGS_INVALID' });
    await expect(read('SELECT ?', ['one', 'two'])).rejects.toMatchObject({ code: 'ARGS_INVALID' });
    await expect(read('SELECT :a', { b: 1 })).rejects.toMatchObject({ code: 'ARGS_INVALID' });
  });

  it('reads arguments through json_each', async () => {
    const insert = 'INSERT INTO item (name, weight) SELECT value ->> 0, value ->> 1 FROM json_each(?) RETURNING name';
    const { rows } = await client.execute({
      sql: insert,
      args: [
        JSON.stringify([
          ['a', 1],
          ['b', 2.5],
        ]),
      ],
    });
    expect(rows.map((row) => row.name)).toEqual(['a', 'b']);
  });

  it.each([
    [
      "INSERT INTO item (id, name) SELECT 1, 'a' UNION ALL SELECT 1, 'b'",
      'SQLITE_CONSTRAINT',
      'SQLite error: UNIQUE constraint failed: item.id',
    ],
    ['SELECT * FROM absent', 'SQL_INPUT_ERROR', 'SQLite input error: no such table: absent'],
    ['SELEKT 1', 'SQL_PARSE_ERROR', 'SQL string could not be parsed: near "SELEKT": syntax error'],
    ['SELECT 1; SELECT 2', 'SQL_MANY_STATEMENTS', 'SQL string contains more than one statement'],
    ['-- nothing', 'SQL_NO_STATEMENT', 'SQL string does not contain any statement'],
  ])('answers %s with %s', async (sql, code, message) => {
    await expect(client.execute(sql)).rejects.toMatchObject({ code, message: `${code}: ${message}` });
  });

  it('uses one exchange per call and leaves no stream open', async () => {
    server.resetCounts();
    await client.execute('SELECT 1');
    await client.batch(['SELECT 1', 'SELECT 2'], 'write');
    expect(server.requests).toBe(2);
    expect(server.openStreams).toBe(0);
  });
});

describe('batch', () => {
  it('commits a thousand rows at once', async () => {
    const insert = (i: number) => ({ sql: 'INSERT INTO item (name, weight) VALUES (?, ?)', args: [`n${i}`, i] });
    const results = await client.batch(
      Array.from({ length: 1000 }, (_, i) => insert(i)),
      'write',
    );
    expect(results).toHaveLength(1000);
    expect(results.at(-1)).toMatchObject({ rowsAffected: 1, lastInsertRowid: 1000n });
    expect((await client.execute('SELECT count(*) AS n FROM item')).rows[0]?.n).toBe(1000n);
  });

  it('rolls back whole when one statement fails', async () => {
    const failing = client.batch(["INSERT INTO item (name) VALUES ('a')", "INSERT INTO item (name) VALUES ('a')", 'SELECT 1'], 'write');
    await expect(failing).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT', statementIndex: 1 });
    expect(await names()).toEqual([]);
    await client.batch(["INSERT INTO item (name) VALUES ('a')"], 'write'); // the lock was given back
    expect(await names()).toEqual(['a']);
  });

  it('runs a script, triggers included, up to its first error', async () => {
    await client.executeMultiple(`
      CREATE TABLE log (name TEXT);
      CREATE TRIGGER t AFTER INSERT ON item BEGIN INSERT INTO log VALUES (new.name); END;
      INSERT INTO item (name) VALUES ('a');
    `);
    expect((await client.execute('SELECT name FROM log')).rows[0]?.name).toBe('a');
    await expect(client.executeMultiple("INSERT INTO item (name) VALUES ('b'); BOOM; DELETE FROM item")).rejects.toThrow('BOOM');
    expect(await names()).toEqual(['a', 'b']);
  });
});

describe('transaction', () => {
  it('is seen by others after its commit only', async () => {
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('a')");
    expect((await trx.execute('SELECT name FROM item')).rows).toHaveLength(1);
    expect(await names()).toEqual([]);
    await trx.commit();
    expect(await names()).toEqual(['a']);
    expect(server.openStreams).toBe(0);
  });

  it('is undone by rollback', async () => {
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('a')");
    await trx.rollback();
    expect(await names()).toEqual([]);
  });

  it("makes another stream's write wait for its commit", async () => {
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('first')");
    let settled = false;
    const second = client.execute("INSERT INTO item (name) VALUES ('second')").finally(() => {
      settled = true;
    });
    await client.execute('SELECT 1'); // a read passes it by
    expect(settled).toBe(false);
    await trx.commit();
    await second;
    expect(await names()).toEqual(['first', 'second']);
  });

  it('fails a write that waited for the busy timeout with SQLITE_BUSY', async () => {
    await server.close();
    await start({ busyTimeoutMs: 0 });
    await client.execute('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)');
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('first')");
    await expect(client.execute("INSERT INTO item (name) VALUES ('second')")).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await expect(client.batch(["INSERT INTO item (name) VALUES ('third')"], 'write')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await trx.commit();
    expect(await names()).toEqual(['first']);
  });

  it('waits for a lock that another driver holds on the file', async () => {
    const other = new Database(server.file);
    other.exec("BEGIN IMMEDIATE; INSERT INTO item (name) VALUES ('foreign')");
    const waiting = client.execute("INSERT INTO item (name) VALUES ('mine')");
    expect(await names()).toEqual([]);
    other.exec('COMMIT');
    other.close();
    await waiting;
    expect(await names()).toEqual(['foreign', 'mine']);
  });

  it('of two that read before they write, the second fails for its old snapshot at once', async () => {
    const trx = await client.transaction('deferred');
    await trx.execute('SELECT * FROM item');
    await client.execute("INSERT INTO item (name) VALUES ('between')");
    await expect(trx.execute("INSERT INTO item (name) VALUES ('late')")).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    trx.close();
  });
});

describe('stream expiry', () => {
  it('rolls back a stream left alone for the expiry time, by the clock', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('a')");
    vi.advanceTimersByTime(9_999);
    await trx.execute("INSERT INTO item (name) VALUES ('b')"); // a request starts the time anew
    vi.advanceTimersByTime(9_999);
    expect(server.openStreams).toBe(1);
    vi.advanceTimersByTime(1);
    expect(server.openStreams).toBe(0);
    await expect(trx.commit()).rejects.toMatchObject({
      code: 'STREAM_EXPIRED',
      message: 'STREAM_EXPIRED: The stream has expired due to inactivity',
    });
    await client.execute("INSERT INTO item (name) VALUES ('c')"); // the lock went with it
    expect(await names()).toEqual(['c']);
  });

  it('can be forced', async () => {
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('a')");
    server.expireStreams();
    await expect(trx.execute('SELECT 1')).rejects.toMatchObject({ code: 'STREAM_EXPIRED' });
    expect(await names()).toEqual([]);
  });
});

it('an expired stream is remembered for five minutes, so that its client learns why', async () => {
  const clock = new ManualClock();
  await server.close();
  await start({ clock, streamExpiryMs: 1_000 });
  const { json } = await post('/v3/pipeline', { requests: [{ type: 'execute', stmt: { sql: 'BEGIN' } }] });
  const again = () => post('/v3/pipeline', { baton: json.baton, requests: [] });
  await clock.advance(1_000);
  await clock.advance(299_999);
  expect((await again()).json).toMatchObject({ code: 'STREAM_EXPIRED' });
  await clock.advance(1);
  expect(await again()).toMatchObject({ status: 400, text: 'The baton is invalid' });
});

describe('the database', () => {
  it('is kept at close when it is a file of the test, and removed when it is not', async () => {
    const [own, given] = [server.file, join(mkdtempSync(join(tmpdir(), 'bellhop-hrana-test-')), 'given.db')];
    expect(existsSync(own)).toBe(true);
    await server.close();
    await server.close();
    await start({ file: given });
    await client.execute('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)');
    await server.close();
    expect([existsSync(own), existsSync(given)]).toEqual([false, true]);
    rmSync(dirname(given), { recursive: true });
  });

  it('leaves foreign keys off until they are asked for, as a real server does', async () => {
    await client.execute('CREATE TABLE part (item INTEGER REFERENCES item (id))');
    const orphan = 'INSERT INTO part VALUES (99)';
    await client.execute(orphan);
    await expect(client.executeMultiple(`PRAGMA foreign_keys = ON; ${orphan}`)).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
  });

  it.each(['latencyMs', 'streamExpiryMs', 'busyTimeoutMs'])('refuses a %s out of bounds', async (name) => {
    await expect(startHranaServer({ [name]: -1 })).rejects.toMatchObject({ code: 'INVALID_INPUT', message: new RegExp(name) });
  });
});

describe('faults', () => {
  const insert = () => client.batch(["INSERT INTO item (name) VALUES ('a')"], 'write');

  it.each([
    { kind: 'dropConnection', applied: [], error: { message: 'fetch failed' } },
    { kind: 'dropAfterApply', applied: ['a'], error: { message: 'fetch failed' } },
    { kind: 'http500', applied: [], error: { code: 'SERVER_ERROR' } },
    { kind: 'streamExpired', applied: [], error: { code: 'STREAM_EXPIRED' } },
    { kind: 'busy', applied: [], error: { code: 'SQLITE_BUSY' } },
  ] as const)('$kind', async ({ kind, applied, error }) => {
    server.failNext(kind);
    server.resetCounts();
    await expect(insert()).rejects.toMatchObject(error);
    expect(server.requests).toBe(1);
    expect(await names()).toEqual(applied);
    await client.execute("INSERT INTO item (name) VALUES ('next')"); // one request is broken, the next is whole
    expect(server.openStreams).toBe(0);
  });

  it.each(['http500', 'streamExpired'] as const)('%s ends an open transaction', async (kind) => {
    const trx = await client.transaction('write');
    await trx.execute("INSERT INTO item (name) VALUES ('a')");
    server.failNext(kind);
    await expect(trx.commit()).rejects.toThrow();
    expect(server.openStreams).toBe(0);
    expect(await names()).toEqual([]);
  });

  it('break as many requests as asked for, in order', async () => {
    server.failNext('busy', 2);
    server.failNext('http500');
    for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY', 'SERVER_ERROR']) await expect(insert()).rejects.toMatchObject({ code });
    await insert();
    expect(() => server.failNext('sunspots' as never)).toThrow('allowed are dropConnection');
  });

  it('a latency holds up each exchange, half on the way in and half on the way out', async () => {
    const waits = vi.spyOn(timers, 'setTimeout');
    // What was imported by name, too; a mocked module would do so only for files that are loaded after it.
    syncBuiltinESMExports();
    try {
      await client.execute('SELECT 1');
      expect(waits).not.toHaveBeenCalled();
      server.latencyMs = 6;
      await client.execute('SELECT 1');
      expect(waits.mock.calls).toEqual([[3], [3]]);
    } finally {
      waits.mockRestore();
      syncBuiltinESMExports();
    }
  });
});

describe('the protocol', () => {
  it('greets on both versions and knows no protobuf, so that clients fall back to JSON', async () => {
    const status = async (path: string) => (await fetch(server.url + path)).status;
    expect([await status('/v2'), await status('/v3'), await status('/v3-protobuf')]).toEqual([200, 200, 404]);
  });

  it('refuses a wrong or missing token with 401, and takes the right one', async () => {
    await server.close();
    await start({ authToken: 'secret' });
    await expect(client.execute('SELECT 1')).rejects.toThrow('401');
    const wrong = createClient({ url: server.url, authToken: 'guess' });
    await expect(wrong.execute('SELECT 1')).rejects.toThrow('401');
    const right = createClient({ url: server.url, authToken: 'secret' });
    expect((await right.execute('SELECT 1 AS one')).rows[0]?.one).toBe(1);
  });

  it('takes a baton once', async () => {
    const first = await post('/v3/pipeline', { requests: [{ type: 'execute', stmt: { sql: 'BEGIN' } }] });
    const { baton } = first.json;
    const second = await post('/v3/pipeline', { baton, requests: [{ type: 'get_autocommit' }] });
    expect(second.json.results).toEqual([{ type: 'ok', response: { type: 'get_autocommit', is_autocommit: false } }]);
    expect(await post('/v3/pipeline', { baton, requests: [] })).toMatchObject({ status: 400, text: /already been used/ });
    expect(await post('/v3/pipeline', { baton: 'made-up.1', requests: [] })).toMatchObject({ status: 400, text: 'The baton is invalid' });
    const last = await post('/v3/pipeline', { baton: second.json.baton, requests: [{ type: 'close' }] });
    expect(last.json.baton).toBeNull();
  });

  it('stores SQL texts per stream', async () => {
    const { json } = await post('/v2/pipeline', {
      requests: [
        { type: 'store_sql', sql_id: 7, sql: 'SELECT 1 + ? AS n' },
        { type: 'execute', stmt: { sql_id: 7, args: [{ type: 'integer', value: '2' }] } },
        { type: 'describe', sql_id: 7 },
        { type: 'close_sql', sql_id: 7 },
      ],
    });
    expect(json.results[1].response.result).toEqual({
      cols: [{ name: 'n', decltype: null }],
      rows: [[{ type: 'integer', value: '3' }]],
      affected_row_count: 0,
      last_insert_rowid: null,
    });
    expect(json.results[2].response.result).toEqual({
      params: [{ name: null }],
      cols: [{ name: 'n', decltype: null }],
      is_explain: false,
      is_readonly: true,
    });
    const gone = await post('/v2/pipeline', { baton: json.baton, requests: [{ type: 'sequence', sql_id: 7 }] });
    expect(gone).toMatchObject({ status: 400, text: 'SQL text 7 not found' });
  });

  it('weighs every kind of condition', async () => {
    const ok = { type: 'ok', step: 0 };
    const failed = { type: 'error', step: 1 };
    const no = { type: 'not', cond: ok };
    const step = (n: number, condition?: unknown) => ({ stmt: { sql: `SELECT ${n}` }, condition });
    const { json } = await post('/v3/pipeline', {
      requests: [
        {
          type: 'batch',
          batch: {
            steps: [
              step(0),
              { stmt: { sql: 'SELECT * FROM absent' } },
              step(2, failed),
              step(3, no),
              step(4, { type: 'and', conds: [ok, no] }),
              step(5, { type: 'or', conds: [ok, no] }),
              step(6, { type: 'is_autocommit' }),
              step(7, { type: 'ok', step: 3 }), // a skipped step is neither ok nor an error
              step(8, { type: 'error', step: 3 }),
            ],
          },
        },
      ],
    });
    const { step_results: results, step_errors: errors } = json.results[0].response.result;
    expect(results.map((result: HranaStatementResult | null) => result?.rows[0]?.[0] ?? null)).toEqual(
      ['0', null, '2', null, null, '5', '6', null, null].map((value) => value && { type: 'integer', value }),
    );
    expect(errors.map((error: HranaErrorBody | null) => error?.code ?? null)).toEqual([null, 'SQL_INPUT_ERROR', ...Array(7).fill(null)]);
  });

  it.each([
    ['/v2/pipeline', 'not json', /deserialize/],
    ['/v2/pipeline', {}, /`requests`/],
    ['/v2/pipeline', { requests: [{ type: 'dance' }] }, /Unknown request/],
    ['/v2/pipeline', { requests: [{ type: 'get_autocommit' }] }, /version 3/],
    [
      '/v3/pipeline',
      { requests: [{ type: 'execute', stmt: { sql: 'SELECT ?', args: [{ type: 'integer', value: 1 }] } }] },
      /decimal string/,
    ],
  ])('answers a breach of it with 400: %s %j', async (path, body, text) => {
    expect(await post(path, body)).toMatchObject({ status: 400, text });
    expect(server.openStreams).toBe(0);
  });

  it('keeps at most 50 SQL texts per stream', async () => {
    const store = (sql_id: number) => ({ type: 'store_sql', sql_id, sql: 'SELECT 1' });
    const { json } = await post('/v3/pipeline', { requests: Array.from({ length: 51 }, (_, i) => store(i)) });
    expect(json.results.slice(49)).toMatchObject([{ type: 'ok' }, { type: 'error', error: { code: 'SQL_STORE_TOO_MANY' } }]);
    expect(await post('/v3/pipeline', { baton: json.baton, requests: [store(0)] })).toMatchObject({ status: 400, text: /already stored/ });
  });

  it('refuses positional and named arguments together', async () => {
    const value = { type: 'null' };
    const stmt = { sql: 'SELECT ?, :a', args: [value], named_args: [{ name: 'a', value }] };
    const { json } = await post('/v3/pipeline', { requests: [{ type: 'execute', stmt }, { type: 'close' }] });
    expect(json.results[0]).toMatchObject({ type: 'error', error: { code: 'ARGS_BOTH_POSITIONAL_AND_NAMED' } });
  });

  it('takes nothing on a stream after its close', async () => {
    const requests = [{ type: 'close' }, { type: 'execute', stmt: { sql: 'SELECT 1' } }];
    expect(await post('/v3/pipeline', { requests })).toMatchObject({ status: 400, text: 'The stream has been closed' });
  });

  it('writes no rows where none are wanted', async () => {
    const stmt = { sql: "INSERT INTO item (name) VALUES ('a') RETURNING id", want_rows: false };
    const { json } = await post('/v3/pipeline', { requests: [{ type: 'execute', stmt }] });
    expect(json.results[0].response.result).toMatchObject({ rows: [], affected_row_count: 1, last_insert_rowid: '1' });
  });
});

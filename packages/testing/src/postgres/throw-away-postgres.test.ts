import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { postgresDatabase, type ThrowAwayPostgres } from './throw-away-postgres.js';

const open: { end(): Promise<unknown> }[] = [];

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  open.push(client);
  return client;
}

async function database(options?: { ownServer: boolean }): Promise<ThrowAwayPostgres> {
  const created = await postgresDatabase(options);
  open.push({ end: () => created.drop() });
  return created;
}

afterEach(async () => {
  for (const resource of open.splice(0)) await resource.end();
});

describe('postgresDatabase', () => {
  it('gives each call an empty database on one real server', async () => {
    const [a, b] = await Promise.all([database(), database()]);
    expect(new URL(a.url).port).toBe(new URL(b.url).port);
    const [inA, inB] = [await connect(a.url), await connect(b.url)];
    await inA.query('CREATE TABLE item (id int)');
    await expect(inB.query('SELECT * FROM item')).rejects.toMatchObject({ code: '42P01' });
    const { rows } = await inA.query(
      "SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('fsync') AS fsync",
    );
    expect(rows).toEqual([{ major: 18, fsync: 'off' }]);
  });

  it('kill ends the connections of this database only', async () => {
    const [a, b] = [await database(), await database()];
    const [first, second, other] = [await connect(a.url), await connect(a.url), await connect(b.url)];
    expect(await a.kill()).toBe(2);
    for (const client of [first, second]) await expect(client.query('SELECT 1')).rejects.toThrow();
    expect((await other.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect((await (await connect(a.url)).query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  });

  it('drop removes it, with a connection still open', async () => {
    const a = await database();
    await connect(a.url);
    await a.drop();
    await a.drop();
    await expect(connect(a.url)).rejects.toMatchObject({ code: '3D000' });
  });

  it('refuses to restart the shared server', async () => {
    const a = await database();
    for (const call of [a.restart, a.pause, a.resume]) await expect(call()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a server of its own', () => {
  it.each(['fast', 'immediate'] as const)('restarts (%s) on the same address with its data', async (mode) => {
    const a = await database({ ownServer: true });
    const before = await connect(a.url);
    await before.query('CREATE TABLE item (id int); INSERT INTO item VALUES (7)');
    await a.restart(mode);
    await expect(before.query('SELECT 1')).rejects.toThrow();
    expect((await (await connect(a.url)).query('SELECT id FROM item')).rows).toEqual([{ id: 7 }]);
  });

  it('cannot be reached while paused', async () => {
    const a = await database({ ownServer: true });
    await a.pause();
    await expect(connect(a.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await a.resume();
    expect((await (await connect(a.url)).query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

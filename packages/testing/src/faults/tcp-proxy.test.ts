import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createClient } from '@libsql/client';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHranaServer } from '../hrana/hrana-server.js';
import { postgresDatabase } from '../postgres/throw-away-postgres.js';
import { type TcpProxy, tcpProxy } from './tcp-proxy.js';

let echo: Server;
let proxy: TcpProxy;
const arrived: string[] = [];
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  arrived.length = 0;
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      arrived.push(String(chunk));
      socket.write(chunk);
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await tcpProxy((echo.address() as AddressInfo).port);
  cleanups.push(() => proxy.close());
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  echo.close();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function dial(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

describe('tcpProxy', () => {
  it('passes bytes and ends', async () => {
    const socket = await dial();
    expect(await say(socket, 'hello')).toBe('hello');
    expect([proxy.connections, proxy.accepted]).toEqual([1, 1]);
    socket.end();
    await once(socket, 'close');
    expect(arrived).toEqual(['hello']);
  });

  it('cuts what is open, and welcomes the next', async () => {
    const socket = await dial();
    await say(socket, 'a');
    const closed = new Promise((resolve) => socket.once('close', resolve)); // `once` of node:events would reject with the reset
    expect(proxy.cut()).toBe(1);
    await closed;
    expect(await say(await dial(), 'b')).toBe('b');
  });

  it('swallows bytes until healed, then delivers them', async () => {
    const [before, control] = [await dial(), await dial()];
    await say(before, 'a');
    proxy.blackhole();
    const during = await dial();
    const answers = Promise.all([say(before, 'b'), say(during, 'c')]);
    // Control: the same time is enough for bytes that go past the proxy.
    const direct = connect((echo.address() as AddressInfo).port, '127.0.0.1');
    await say(direct, 'direct');
    direct.destroy();
    expect(arrived).toEqual(['a', 'direct']);
    proxy.heal();
    expect(await answers).toEqual(['b', 'c']);
    expect(await say(control, 'd')).toBe('d');
  });

  it('refuses new connections and keeps the open ones', async () => {
    const open = await dial();
    await say(open, 'a');
    proxy.refuse();
    const refused = connect(proxy.port, '127.0.0.1');
    const [error] = await once(refused, 'error');
    expect(error.code).toBe('ECONNRESET');
    expect(await say(open, 'b')).toBe('b');
    proxy.heal();
    expect(await say(await dial(), 'c')).toBe('c');
  });

  it('delays without changing the order, a delay lowered midway included', async () => {
    const socket = await dial();
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    proxy.delayMs = 300;
    socket.write('first,');
    while (proxy.bytes < 6) await turn();
    expect(arrived).toEqual([]);
    proxy.delayMs = 0;
    socket.write('second');
    while (answer.length < 12) await once(socket, 'data');
    expect(answer).toBe('first,second');
  });

  it('cuts Postgres connections', async () => {
    const database = await postgresDatabase();
    cleanups.push(() => database.drop());
    const between = await tcpProxy(Number(new URL(database.url).port));
    cleanups.push(() => between.close());
    const client = new pg.Client(between.through(database.url));
    const broken = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    between.cut();
    await broken;
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });

  it('cuts HTTP connections', async () => {
    const server = await startHranaServer();
    cleanups.push(() => server.close());
    const between = await tcpProxy(Number(new URL(server.url).port));
    cleanups.push(() => between.close());
    const client = createClient({ url: between.through(server.url) });
    await client.execute('SELECT 1');
    server.latencyMs = 10_000;
    const answer = expect(client.execute('SELECT 1')).rejects.toThrow('fetch failed');
    while (server.requests < 2) await turn();
    between.cut();
    await answer;
  });
});

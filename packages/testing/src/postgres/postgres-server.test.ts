/** What is left of a server when its owner ends, in each way it can end: the owners here are processes, killed for real. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Child, startChild } from '../child-process.js';
import { startPostgresCoordinator } from './postgres-coordinator.js';
import { removeLeftovers, SERVER_FOLDER_PREFIX } from './postgres-leftovers.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';

interface Owned {
  readonly owner: Child;
  readonly data: string;
  /** The server's own. */
  readonly pid: number;
}

const GONE_WITHIN_MS = 20_000;
const cleanups: (() => unknown)[] = [];

async function own(end: 'wait' | 'throw' | 'return'): Promise<Owned> {
  const owner = startChild(new URL('./postgres-server.fixture.ts', import.meta.url), { args: [end] });
  cleanups.push(() => owner.kill());
  const { data } = JSON.parse(await owner.line(/^{/)) as { data: string };
  return { owner, data, pid: Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function expectGone({ pid, data }: Pick<Owned, 'pid' | 'data'>): Promise<void> {
  const look = (): void => {
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(dirname(data))).toBe(false);
  };
  return vi.waitFor(look, GONE_WITHIN_MS);
}

async function ask(server: Pick<PostgresServer, 'url'>, sql: string): Promise<unknown[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('startPostgres', () => {
  it('takes settings, and leaves nothing after stop', async () => {
    const server = await startPostgres({ settings: { fsync: 'on' } });
    cleanups.push(() => server.stop());
    expect(await ask(server, "SELECT current_setting('fsync') AS fsync")).toEqual([{ fsync: 'on' }]);
    const [row] = (await ask(server, "SELECT current_setting('data_directory') AS data")) as { data: string }[];
    const data = row?.data ?? '';
    const pid = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
    expect(isAlive(pid)).toBe(true);
    await server.stop();
    expect([isAlive(pid), existsSync(dirname(data))]).toEqual([false, false]);
    await server.stop();
  });

  it('names the reason when the server does not come up', async () => {
    await expect(startPostgres({ settings: { shared_buffers: 'plenty' } })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: /invalid value for parameter "shared_buffers"/,
    });
  });

  it.each(['throw', 'return'] as const)('leaves nothing when its owner ends without stop: %s', async (end) => {
    const owned = await own(end);
    expect((await owned.owner.exited).code).toBe(end === 'throw' ? 1 : 0);
    await expectGone(owned);
  });

  it('leaves nothing when its owner is killed with -9', async () => {
    const owned = await own('wait');
    expect(isAlive(owned.pid)).toBe(true);
    await owned.owner.kill();
    await expectGone(owned);
  });

  it('is cleaned up by the next start when its watchdog was killed too', async () => {
    const owned = await own('wait');
    const watchdog = Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(owned.pid)], { encoding: 'utf8' }));
    process.kill(watchdog, 'SIGKILL');
    expect(isAlive(owned.pid)).toBe(true); // and nobody is left to end it
    await owned.owner.kill();
    await removeLeftovers();
    await expectGone(owned);
  });

  it('leaves the folder of a living owner alone', async () => {
    const owned = await own('wait');
    expect(await removeLeftovers()).not.toContain(dirname(owned.data));
    expect(isAlive(owned.pid)).toBe(true);
  });

  it('ends no stranger that was given the pid of a dead server', async () => {
    const stranger = startChild(new URL('../child-process.fixture.ts', import.meta.url), { args: ['forever'] });
    cleanups.push(() => stranger.kill());
    await stranger.line(/running/);
    const folder = join(tmpdir(), `${SERVER_FOLDER_PREFIX}99999999-stranger`);
    await mkdir(join(folder, 'data'), { recursive: true });
    await writeFile(join(folder, 'data', 'postmaster.pid'), `${stranger.pid}\n`);
    await removeLeftovers();
    expect(existsSync(folder)).toBe(false);
    expect(isAlive(stranger.pid)).toBe(true);
  });
});

describe('the coordinator of a run', () => {
  it('starts one server on the first request, whoever asks, and stops it at close', async () => {
    const coordinator = await startPostgresCoordinator();
    cleanups.push(() => coordinator.close());
    const answers = await Promise.all([1, 2, 3].map(async () => (await fetch(coordinator.address)).text()));
    expect(new Set(answers).size).toBe(1);
    const [url = ''] = answers;
    expect(await ask({ url }, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await coordinator.close();
    await expect(ask({ url }, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('starts none when nobody asks, and tells nothing to who does not know the address', async () => {
    const coordinator = await startPostgresCoordinator();
    const guess = await fetch(new URL('/guess', coordinator.address));
    expect([guess.status, await guess.text()]).toEqual([404, '']);
    await coordinator.close();
    await expect(fetch(coordinator.address)).rejects.toThrow();
  });
});

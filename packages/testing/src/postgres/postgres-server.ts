/**
 * A real Postgres server for as long as it is needed, from npm, also as root. Nothing is left of it: it stops when told, when the process
 * that started it ends, and when that process is killed.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPostgresDatabase, type PostgresDatabase } from './postgres-database.js';
import { installPostgres, POSTGRES_USER } from './postgres-installation.js';
import { removeLeftovers, SERVER_FOLDER_PREFIX } from './postgres-leftovers.js';
import { PostgresProcess, type PostgresProcessOptions } from './postgres-process.js';

const run = promisify(execFile);

/** For speed: a throw-away cluster need not survive a power cut, nor be replicated. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '16MB',
  max_connections: '200',
  jit: 'off',
  io_method: 'sync',
};

/** Another process may take the free port before the server does. */
const START_ATTEMPTS = 3;

export interface PostgresServerOptions {
  /** Server settings (`postgresql.conf` names) over those for speed: `{ fsync: 'on' }` for a benchmark that must be durable. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
  /** `postgres://…`: the superuser's, in the database `postgres`. */
  readonly url: string;
  /** An empty database of its own. */
  createDatabase(): Promise<PostgresDatabase>;
  /**
   * Ends the server and starts it again on the same port with the same data. Default `fast`: connections end in order, as in a planned
   * restart. `immediate`: as in a crash, with recovery at start.
   */
  restart(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Ends the server; connections to it fail until `start`. */
  pause(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts a paused server again. */
  resume(): Promise<void>;
  /** Ends the server and removes its data. Safe to call twice. */
  stop(): Promise<void>;
}

/** @throws BellhopError `STORE_UNAVAILABLE` where no Postgres can be made to run, with the reason. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  await removeLeftovers();
  const installation = await installPostgres();
  const folder = await mkdtemp(join(tmpdir(), `${SERVER_FOLDER_PREFIX}${process.pid}-`));
  try {
    await chmod(folder, 0o700);
    if (installation.runAs) await chown(folder, installation.runAs.uid, installation.runAs.gid);
    await run('cp', ['-a', installation.template, join(folder, 'data')]);
    const settings = { ...SETTINGS, ...options.settings };
    const { started, port } = await startOnFreePort({ installation, folder, settings });
    const url = `postgres://${POSTGRES_USER}:${installation.password}@127.0.0.1:${port}/postgres`;
    return new RunningPostgresServer(url, started, () => PostgresProcess.start({ installation, folder, settings, port }), folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

class RunningPostgresServer implements PostgresServer {
  readonly url: string;
  readonly #start: () => Promise<PostgresProcess>;
  readonly #folder: string;
  #process: PostgresProcess | undefined;

  constructor(url: string, process: PostgresProcess, start: () => Promise<PostgresProcess>, folder: string) {
    this.url = url;
    this.#process = process;
    this.#start = start;
    this.#folder = folder;
  }

  createDatabase(): Promise<PostgresDatabase> {
    return createPostgresDatabase(this.url);
  }

  async restart(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.pause(mode);
    await this.resume();
  }

  async pause(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#process?.stopKeeping(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    this.#process = undefined;
  }

  async resume(): Promise<void> {
    this.#process ??= await this.#start();
  }

  async stop(): Promise<void> {
    await this.#process?.stopRemoving();
    this.#process = undefined;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function startOnFreePort(options: Omit<PostgresProcessOptions, 'port'>): Promise<{ started: PostgresProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { started: await PostgresProcess.start({ ...options, port }), port };
    } catch (error) {
      if (attempt === START_ATTEMPTS || !/could not bind|could not create any TCP/.test(String(error))) throw error;
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

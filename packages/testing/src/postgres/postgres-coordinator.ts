/**
 * One Postgres server per vitest run, started when the first test asks. The coordinator lives in vitest's main process; tests, in their
 * worker processes, ask it over HTTP for the server's address. A run without a Postgres test pays for one listening socket.
 */
import { randomBytes } from 'node:crypto';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PostgresServer } from './postgres-server.js';

export interface PostgresCoordinator {
  /** Where tests ask; the path is a secret, because the answer holds the server's password. */
  readonly address: string;
  /** Stops the server, if one was started. */
  close(): Promise<void>;
}

export async function startPostgresCoordinator(): Promise<PostgresCoordinator> {
  const path = `/${randomBytes(16).toString('hex')}`;
  let starting: Promise<PostgresServer> | undefined;
  const server = createServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    // Loaded on demand: most runs of a single file need no Postgres.
    starting ??= import('./postgres-server.js').then(({ startPostgres }) => startPostgres());
    starting.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      server.close();
      server.closeAllConnections();
      const started = await starting?.catch(() => undefined);
      await started?.stop();
    },
  };
}

/** Times that a test asks: on a machine that is busy a connection to the coordinator may be given up before it is made. */
const TRIES = 5;

/** @returns the URL of the run's server, which this call starts if it is the first. */
export async function askPostgresCoordinator(address: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(address).catch((error: unknown) => {
      if (tries === TRIES) throw error;
    });
    if (answer?.status === 200) return answer.text;
    if (answer) throw new Error(answer.text);
  }
}

/** On a connection of its own, and without a limit of time: the first to ask waits for the server to start. */
function ask(address: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(address, { agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
  });
}

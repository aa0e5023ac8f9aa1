/**
 * One Postgres server per vitest run, started when the first test asks. The coordinator lives in vitest's main process; tests, in their
 * worker processes, ask it over HTTP for the server's address. A run without a Postgres test pays for one listening socket.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
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

/** @returns the URL of the run's server, which this call starts if it is the first. */
export async function askPostgresCoordinator(address: string): Promise<string> {
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

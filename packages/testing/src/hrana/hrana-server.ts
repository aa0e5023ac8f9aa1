/**
 * A remote libSQL database for tests: Hrana over HTTP (version 2 and 3, JSON) on 127.0.0.1 in front of SQLite, for the real
 * `@libsql/client`. It keeps the semantics that matter to a store — streams with their own connection and transaction, batons, expiry,
 * a write lock that makes other writers wait — and breaks on command. Errors carry the codes and texts of the real server.
 *
 * Not built: the protobuf encoding and cursors (404, so clients fall back to JSON pipelines), replication, and the real server's limit of
 * 5 s on a transaction that others wait for.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Not the global: latency stays real under a test's fake timers.
import { setTimeout } from 'node:timers/promises';
import { BellhopError, type Clock, errorMessage, systemClock } from '@bellhop/kernel';
import Database from 'better-sqlite3';
import { LockWait } from './lock-wait.js';
import { HranaPipeline } from './pipeline.js';
import { HranaStreams } from './streams.js';
import { type HranaPipelineRequest, HranaProtocolError, HranaStreamExpiredError } from './wire.js';

export const HRANA_FAULTS = ['dropConnection', 'dropAfterApply', 'http500', 'streamExpired', 'busy'] as const;
/**
 * - `dropConnection`: the socket dies before anything is applied
 * - `dropAfterApply`: everything is applied, and the socket dies before the answer
 * - `http500`: a plain 500, nothing applied; an open stream is rolled back and closed
 * - `streamExpired`: the `STREAM_EXPIRED` answer, nothing applied; an open stream is rolled back and closed
 * - `busy`: the first statement fails with `SQLITE_BUSY`; what depends on it is skipped by its own conditions
 */
export type HranaFault = (typeof HRANA_FAULTS)[number];

export interface HranaServerOptions {
  /** Real milliseconds per exchange, half before the request is applied and half before it is answered. Default 0. */
  readonly latencyMs?: number;
  /** Milliseconds on `clock` after which an idle stream is rolled back and closed. Default 10 000, as on the real server. */
  readonly streamExpiryMs?: number;
  /** Milliseconds on `clock` that a statement waits for another's write lock before it fails with `SQLITE_BUSY`. Default 5 000. */
  readonly busyTimeoutMs?: number;
  /** Requests without this bearer token get a 401. Default: none is asked for. */
  readonly authToken?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** The database file; kept at close. Default: a database of the server's own, removed at close. */
  readonly file?: string;
}

export interface HranaServer {
  /** `http://127.0.0.1:port`: the URL for `createClient`. */
  readonly url: string;
  /** The database file: a test may look into it with a driver of its own. */
  readonly file: string;
  /** HTTP exchanges that arrived since the start or the last reset, refused and broken ones included. */
  readonly requests: number;
  /** Streams open now. */
  readonly openStreams: number;
  latencyMs: number;
  resetCounts(): void;
  /** Breaks the next `times` (default 1) pipeline requests. Calls queue up. */
  failNext(kind: HranaFault, times?: number): void;
  /** Expires every stream that no request is using, as if the expiry time had passed. */
  expireStreams(): void;
  /** Closes connections, streams and database. Safe to call twice. */
  close(): Promise<void>;
}

/** @throws BellhopError `INVALID_INPUT` for an option out of its bounds. */
export async function startHranaServer(options: HranaServerOptions = {}): Promise<HranaServer> {
  const running = new RunningHranaServer(options);
  await running.listen();
  return running;
}

class RunningHranaServer implements HranaServer {
  readonly file: string;
  latencyMs: number;
  requests = 0;
  readonly #ownFolder: string | undefined;
  readonly #authToken: string | undefined;
  readonly #lockWait: LockWait;
  readonly #streams: HranaStreams;
  readonly #faults: HranaFault[] = [];
  readonly #server: Server;
  /** Held open so that the write-ahead log is not folded back and deleted each time the last stream closes. */
  readonly #keeper: Database.Database;
  #closing: Promise<void> | undefined;

  constructor(options: HranaServerOptions) {
    const clock = options.clock ?? systemClock;
    this.latencyMs = nonNegative('latencyMs', options.latencyMs ?? 0);
    this.#authToken = options.authToken;
    this.#lockWait = new LockWait(clock, nonNegative('busyTimeoutMs', options.busyTimeoutMs ?? 5_000));
    const expiryMs = nonNegative('streamExpiryMs', options.streamExpiryMs ?? 10_000);
    this.#ownFolder = options.file === undefined ? mkdtempSync(join(tmpdir(), 'bellhop-hrana-')) : undefined;
    this.file = options.file ?? join(this.#ownFolder ?? '', 'data.db');
    this.#keeper = new Database(this.file);
    this.#keeper.pragma('journal_mode = WAL');
    this.#streams = new HranaStreams({ file: this.file, clock, expiryMs, onEnd: () => this.#lockWait.released() });
    // Never a server-side keep-alive timeout: a client that reuses a socket at that instant would see a reset that no test asked for.
    this.#server = createServer({ keepAliveTimeout: 0 }, (request, response) => void this.#serve(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openStreams(): number {
    return this.#streams.open;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  resetCounts(): void {
    this.requests = 0;
  }

  failNext(kind: HranaFault, times = 1): void {
    if (!HRANA_FAULTS.includes(kind)) {
      throw new BellhopError('INVALID_INPUT', `failNext(${JSON.stringify(kind)}): allowed are ${HRANA_FAULTS.join(', ')}.`);
    }
    for (let left = times; left > 0; left -= 1) this.#faults.push(kind);
  }

  expireStreams(): void {
    this.#streams.expireAll();
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#lockWait.close();
      this.#server.close(() => {
        this.#streams.close();
        this.#keeper.close();
        if (this.#ownFolder) rmSync(this.#ownFolder, { recursive: true, force: true });
        resolve();
      });
      this.#server.closeAllConnections();
    });
    return this.#closing;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    try {
      const body = await readBody(request);
      await delay(this.latencyMs / 2);
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const pipeline = /^\/v([23])(\/pipeline)?$/.exec(path);
      if (request.method === 'GET' && pipeline && !pipeline[2]) {
        return await this.#answer(response, 200, 'text/plain', `Hello, this is HTTP API v${pipeline[1]} (Hrana over HTTP)`);
      }
      if (request.method !== 'POST' || !pipeline?.[2]) return await this.#answer(response, 404, 'text/plain', 'Not found');
      if (this.#authToken !== undefined && request.headers.authorization !== `Bearer ${this.#authToken}`) {
        const error = 'Unauthorized: the `Authorization` header is missing or its token is wrong';
        return await this.#answer(response, 401, 'application/json', JSON.stringify({ error }));
      }
      await this.#servePipeline(body, pipeline[1] === '3' ? 3 : 2, response);
    } catch (error) {
      await this.#answerError(response, error);
    }
  }

  async #servePipeline(text: string, version: 2 | 3, response: ServerResponse): Promise<void> {
    const fault = this.#faults.shift();
    if (fault === 'dropConnection') return void response.destroy();
    const body = parsePipeline(text);
    const stream = this.#streams.acquire(body.baton);
    let answer: string;
    try {
      if (fault === 'http500') throw new Error('Internal server error');
      if (fault === 'streamExpired') throw new HranaStreamExpiredError();
      const pipeline = new HranaPipeline({ stream, lockWait: this.#lockWait, version, failBusy: fault === 'busy' });
      const results = await pipeline.run(body.requests);
      answer = JSON.stringify({ baton: this.#streams.release(stream), base_url: null, results });
    } catch (error) {
      if (fault === 'streamExpired') this.#streams.expire(stream);
      else this.#streams.discard(stream);
      throw error;
    }
    if (fault === 'dropAfterApply') return void response.destroy();
    await this.#answer(response, 200, 'application/json', answer);
  }

  async #answerError(response: ServerResponse, error: unknown): Promise<void> {
    if (error instanceof HranaStreamExpiredError) {
      const { message, code } = error;
      await this.#answer(response, 500, 'application/json', JSON.stringify({ message, code }));
    } else if (error instanceof HranaProtocolError) {
      await this.#answer(response, 400, 'text/plain', error.message);
    } else {
      await this.#answer(response, 500, 'text/plain', errorMessage(error));
    }
  }

  async #answer(response: ServerResponse, status: number, type: string, body: string): Promise<void> {
    await delay(this.latencyMs / 2);
    response.writeHead(status, { 'content-type': type }).end(body);
  }
}

function parsePipeline(text: string): HranaPipelineRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new HranaProtocolError(`Could not deserialize JSON request body: ${errorMessage(error)}`);
  }
  if (typeof body !== 'object' || body === null || !Array.isArray((body as HranaPipelineRequest).requests)) {
    throw new HranaProtocolError('The request body must be an object with an array `requests`');
  }
  return body as HranaPipelineRequest;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function delay(ms: number): Promise<void> | undefined {
  return ms > 0 ? setTimeout(ms) : undefined;
}

function nonNegative(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new BellhopError('INVALID_INPUT', `startHranaServer: ${name} is ${value}; allowed is a number of milliseconds from 0 up.`);
}

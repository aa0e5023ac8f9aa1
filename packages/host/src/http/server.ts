/**
 * The listening socket. It listens before there is an API to serve: a taken port is then known before any work begins, and a probe that comes
 * early is told to come again.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { BellhopError, type Clock } from '@bellhop/kernel';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { AuthEnv } from './auth.js';

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  #api: Hono<AuthEnv> | undefined;
  #closing = false;
  #port: number | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const answer = getRequestListener((request, env) => (this.#api ? this.#api.fetch(request, env) : refusal(503, STARTING)), {
      // An application that embeds the host keeps its own Request and Response.
      overrideGlobalObjects: false,
      errorHandler: () => refusal(400, MALFORMED),
    });
    this.#server = createServer((request, response) => void answer(request, response));
    this.#server.on('clientError', (error: Error & { code?: string }, socket) => refuseUnparsed(error.code, socket));
    this.#server.on('request', (_request, response) => {
      response.once('close', () => this.#connectionIsIdle());
    });
  }

  /** @throws BellhopError `PORT_IN_USE` when the port is taken, `CONFIG` when the address is not this machine's. */
  async listen(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(listenError(error, host, port)));
      this.#server.listen(port, host, resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  serve(api: Hono<AuthEnv>): void {
    this.#api = api;
  }

  /** Where this machine reaches it: `http://127.0.0.1:7070`. @throws BellhopError `KERNEL_STATE` before it listens: the port may be any. */
  get url(): string {
    const port = this.#port;
    if (port === undefined) throw new BellhopError('KERNEL_STATE', 'host.url: the host has no address yet; start it first.');
    const { host } = this.#options;
    const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  }

  /** Takes no more connections and waits for the requests that run; those that still do at the deadline are cut off. Idempotent. */
  async close(deadlineMs: number): Promise<void> {
    if (!this.#server.listening) return;
    this.#closing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = this.#options.clock.setTimeout(() => this.#server.closeAllConnections(), deadlineMs);
    await closed;
    timer.cancel();
  }

  /** Node keeps a connection for the next request; while closing there is none, and waiting for it would take all of keep-alive's time. */
  #connectionIsIdle(): void {
    if (this.#closing) setImmediate(() => this.#server.closeIdleConnections());
  }
}

/** What no route gets to see is told in the shape of the API all the same. */
const STARTING = { code: 'STARTING', message: 'This host is starting. Try again.' };
const UNPARSED = { code: 'INVALID_INPUT', message: 'The request is not well-formed HTTP.' };
const HEADERS_TOO_LARGE = { code: 'INVALID_INPUT', message: 'The headers are over 16 KiB.' };
const MALFORMED = { code: 'INVALID_INPUT', message: 'The request line or the Host header is malformed.' };

/** What node's parser gives up on never becomes a request; left alone, it is answered without a body. */
function refuseUnparsed(code: string | undefined, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const tooLarge = code === 'HPE_HEADER_OVERFLOW';
  const body = JSON.stringify({ error: tooLarge ? HEADERS_TOO_LARGE : UNPARSED });
  socket.end(
    `HTTP/1.1 ${tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function refusal(status: number, error: { readonly code: string; readonly message: string }): Response {
  return Response.json({ error }, { status, headers: status === 503 ? { 'Retry-After': '1' } : {} });
}

function listenError(error: Error & { code?: string }, host: string, port: number): BellhopError {
  if (error.code === 'EADDRINUSE') {
    return new BellhopError(
      'PORT_IN_USE',
      `Port ${port} on ${host} is taken. Stop what listens there, or choose another with --port or PORT.`,
      {
        cause: error,
      },
    );
  }
  if (error.code === 'EACCES') {
    return new BellhopError(
      'CONFIG',
      `Port ${port} needs rights that this user does not have. Choose one above 1023 with --port or PORT.`,
      { cause: error },
    );
  }
  return new BellhopError(
    'CONFIG',
    `Cannot listen on ${host}, port ${port}: ${error.message}. Choose another address with --host or HOST.`,
    {
      cause: error,
    },
  );
}

/** An HTTP(S) server on this machine that keeps what it got and answers as the test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { TEST_CERTIFICATE, TEST_KEY } from './tls-pair.fixture.js';

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ReceiverOptions {
  readonly host?: string;
  readonly port?: number;
  /** True for https with the test certificate, or more options of that server. */
  readonly tls?: boolean | ServerOptions;
  /** Default: 200 `ok`. */
  readonly answer?: (...args: Parameters<RequestListener>) => void;
}

export class Receiver {
  readonly received: Received[] = [];
  readonly sockets: Socket[] = [];
  /** Resolves with the first connection, whatever comes over it. */
  readonly connected: Promise<void>;
  /** Resolves when the first request is here in full. */
  readonly arrived: Promise<void>;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    options: ReceiverOptions,
  ) {
    const answer = options.answer ?? ((_request, response) => response.end('ok'));
    this.connected = new Promise((resolve) => {
      this.server.on('connection', (socket: Socket) => {
        this.sockets.push(socket);
        resolve();
      });
    });
    this.arrived = new Promise((resolve) => {
      this.server.on('request', async (request, response) => {
        const body = await text(request);
        this.received.push({ method: request.method, url: request.url, headers: request.headers, body });
        answer(request, response);
        resolve();
      });
    });
  }

  static async open(options: ReceiverOptions = {}): Promise<Receiver> {
    const more = typeof options.tls === 'object' ? options.tls : {};
    const server = options.tls ? createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY, ...more }) : createServer();
    const receiver = new Receiver(server, options);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Resolves when the connection is gone, also by an error. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

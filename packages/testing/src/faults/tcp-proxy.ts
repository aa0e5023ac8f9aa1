/**
 * A TCP proxy on 127.0.0.1 in front of a real server (Postgres, HTTP), to break the network between the two: cut connections, swallow
 * their bytes, delay them, refuse new ones. Bytes are never changed, reordered or lost on a connection that lives.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
// Not the globals: a delay stays real under a test's fake timers.
import { clearTimeout, setTimeout } from 'node:timers';

export interface TcpProxy {
  readonly port: number;
  /** Real milliseconds each chunk waits in each direction. Default 0; a change holds for chunks that arrive after it. */
  delayMs: number;
  /** Connections open through the proxy. */
  readonly connections: number;
  /** Connections accepted since the start, cut and refused ones included. */
  readonly accepted: number;
  /** Bytes read from both ends since the start, those still held or delayed included. */
  readonly bytes: number;
  /** `url` with this proxy's address for its host and port: credentials, path and query stay. */
  through(url: string): string;
  /** Resets every open connection (both ends see ECONNRESET or an early end). New ones are welcome. @returns connections cut. */
  cut(): number;
  /** Holds every byte, of open and new connections, in both directions: neither end learns anything. `heal` delivers what was held. */
  blackhole(): void;
  /** Resets new connections as soon as they are made; open ones go on. */
  refuse(): void;
  /** Ends `blackhole` and `refuse`. */
  heal(): void;
  close(): Promise<void>;
}

/** @param targetPort where to forward to, on `targetHost` (default 127.0.0.1). */
export async function tcpProxy(targetPort: number, targetHost = '127.0.0.1'): Promise<TcpProxy> {
  const proxy = new RunningProxy(targetPort, targetHost);
  await proxy.listen();
  return proxy;
}

class RunningProxy implements TcpProxy {
  delayMs = 0;
  accepted = 0;
  bytes = 0;
  readonly #target: { port: number; host: string };
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #held = false;
  #refusing = false;

  constructor(port: number, host: string) {
    this.#target = { port, host };
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (client) => this.#accept(client));
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#links.size;
  }

  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  cut(): number {
    const count = this.#links.size;
    for (const link of this.#links) link.reset();
    return count;
  }

  blackhole(): void {
    this.#held = true;
    for (const link of this.#links) link.hold();
  }

  refuse(): void {
    this.#refusing = true;
  }

  heal(): void {
    this.#held = false;
    this.#refusing = false;
    for (const link of this.#links) link.resume();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.cut();
    });
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    if (this.#refusing) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const link = new Link(client, connect({ ...this.#target, allowHalfOpen: true }), {
      delayMs: () => this.delayMs,
      onBytes: (count) => {
        this.bytes += count;
      },
      onEnd: () => this.#links.delete(link),
    });
    this.#links.add(link);
    if (this.#held) link.hold();
    else link.resume();
  }
}

interface LinkOptions {
  readonly delayMs: () => number;
  readonly onBytes: (count: number) => void;
  readonly onEnd: () => void;
}

/** One connection through the proxy: two sockets and a lane each way. */
class Link {
  readonly #sockets: readonly [Socket, Socket];
  readonly #lanes: readonly [Lane, Lane];

  constructor(client: Socket, target: Socket, options: LinkOptions) {
    this.#sockets = [client, target];
    this.#lanes = [this.#lane(client, target, options), this.#lane(target, client, options)];
    for (const socket of this.#sockets) {
      socket.on('error', () => this.reset());
      socket.on('close', () => {
        if (client.destroyed && target.destroyed) options.onEnd();
      });
    }
  }

  hold(): void {
    for (const socket of this.#sockets) socket.pause();
    for (const lane of this.#lanes) lane.hold();
  }

  resume(): void {
    for (const lane of this.#lanes) lane.resume();
    for (const socket of this.#sockets) socket.resume();
  }

  reset(): void {
    for (const lane of this.#lanes) lane.hold();
    for (const socket of this.#sockets) if (!socket.destroyed) socket.resetAndDestroy();
  }

  #lane(from: Socket, to: Socket, { delayMs, onBytes }: LinkOptions): Lane {
    const lane = new Lane(delayMs);
    from.pause(); // before the listener, which would start the flow
    from.on('data', (chunk) => {
      onBytes(chunk.length);
      lane.carry(() => to.write(chunk));
    });
    from.on('end', () => lane.carry(() => to.end()));
    return lane;
  }
}

/** What is on its way in one direction: leaves in the order it came, each after its delay, nothing while held. */
class Lane {
  readonly #delayMs: () => number;
  readonly #waiting: { readonly dueAt: number; readonly act: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #held = false;

  constructor(delayMs: () => number) {
    this.#delayMs = delayMs;
  }

  carry(act: () => void): void {
    // Never before what came earlier, though the delay was lowered since.
    const dueAt = Math.max(performance.now() + this.#delayMs(), this.#waiting.at(-1)?.dueAt ?? 0);
    this.#waiting.push({ dueAt, act });
    this.#advance();
  }

  hold(): void {
    this.#held = true;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#held = false;
    this.#advance();
  }

  #advance(): void {
    clearTimeout(this.#timer);
    if (this.#held) return;
    while (this.#waiting[0] && this.#waiting[0].dueAt <= performance.now()) this.#waiting.shift()?.act();
    const next = this.#waiting[0];
    if (next) this.#timer = setTimeout(() => this.#advance(), Math.ceil(next.dueAt - performance.now()));
  }
}

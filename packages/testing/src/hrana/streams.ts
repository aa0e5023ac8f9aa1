/**
 * The open streams of a server. A stream is used by one request at a time; its baton is good for exactly one use. A stream left alone for
 * the expiry time is rolled back and closed, and stays known as expired for a while so that its client learns why.
 */
import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '@bellhop/kernel';
import { HranaConnection } from './connection.js';
import { HranaProtocolError, HranaStreamExpiredError } from './wire.js';

/** How long a server remembers that a stream expired. */
const EXPIRED_MEMORY_MS = 300_000;

export interface HranaStream {
  readonly id: string;
  readonly connection: HranaConnection;
  /** Texts kept by `store_sql`, by id. */
  readonly sqls: Map<number, string>;
  /** Set by the `close` request: the stream ends with the pipeline. */
  closed: boolean;
}

interface Entry {
  readonly stream: HranaStream;
  sequence: number;
  inUse: boolean;
  timer: Timer | undefined;
}

export class HranaStreams {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #expiryMs: number;
  readonly #onEnd: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #expired = new Map<string, Timer>();

  constructor(options: { file: string; clock: Clock; expiryMs: number; onEnd: () => void }) {
    this.#file = options.file;
    this.#clock = options.clock;
    this.#expiryMs = options.expiryMs;
    this.#onEnd = options.onEnd;
  }

  get open(): number {
    return this.#entries.size;
  }

  /** Opens a stream, or takes the one the baton names. Give it back with `release` or `discard`. */
  acquire(baton: string | null | undefined): HranaStream {
    if (baton === null || baton === undefined) {
      const id = randomBytes(16).toString('hex');
      const stream: HranaStream = { id, connection: new HranaConnection(this.#file), sqls: new Map(), closed: false };
      this.#entries.set(id, { stream, sequence: 0, inUse: true, timer: undefined });
      return stream;
    }
    const [id = '', sequence] = baton.split('.');
    if (this.#expired.has(id)) throw new HranaStreamExpiredError();
    const entry = this.#entries.get(id);
    if (!entry) throw new HranaProtocolError('The baton is invalid');
    if (entry.inUse || sequence !== String(entry.sequence)) {
      throw new HranaProtocolError('Received a baton that has already been used');
    }
    entry.sequence += 1;
    entry.inUse = true;
    entry.timer?.cancel();
    return entry.stream;
  }

  /** @returns the baton of the next request, or null when the stream was closed. */
  release(stream: HranaStream): string | null {
    const entry = this.#entries.get(stream.id);
    if (!entry || stream.closed) {
      this.discard(stream);
      return null;
    }
    entry.inUse = false;
    entry.timer = this.#clock.setTimeout(() => this.#expire(entry), this.#expiryMs);
    return `${stream.id}.${entry.sequence}`;
  }

  /** Rolls back and closes. */
  discard(stream: HranaStream): void {
    const entry = this.#entries.get(stream.id);
    if (!entry) return;
    entry.timer?.cancel();
    this.#entries.delete(stream.id);
    stream.connection.close();
    this.#onEnd();
  }

  /** Expires every stream that no request is using. */
  expireAll(): void {
    for (const entry of [...this.#entries.values()]) if (!entry.inUse) this.#expire(entry);
  }

  expire(stream: HranaStream): void {
    const entry = this.#entries.get(stream.id);
    if (entry) this.#expire(entry);
  }

  close(): void {
    for (const entry of [...this.#entries.values()]) this.discard(entry.stream);
    for (const timer of this.#expired.values()) timer.cancel();
    this.#expired.clear();
  }

  #expire({ stream }: Entry): void {
    this.discard(stream);
    this.#expired.set(
      stream.id,
      this.#clock.setTimeout(() => this.#expired.delete(stream.id), EXPIRED_MEMORY_MS),
    );
  }
}

/**
 * The open streams of the doorbell: what rings is written to each as a server-sent event. A stream is attached exactly as long as somebody may be
 * reading it: until its caller hangs up, its credential is refused, the doorbell closes it, or the host stops. What a reader does not take in is
 * kept up to a bound, and what comes then is refused to the doorbell, which knows that nobody was told.
 */
import { BellhopError, type Clock, errorMessage, type Logger } from '@bellhop/kernel';
import { HttpError } from './errors.js';

/** Milliseconds between two signs of life: proxies cut what is silent for a minute, and a revoked credential is found at the latest then. */
export const KEEP_ALIVE_MS = 25_000;
/** Rings that one stream holds for a reader that is behind. */
export const RINGS_HELD_MAX = 16;

export interface Ring {
  readonly todoId: string;
  readonly queue: string;
  readonly reason?: string | undefined;
}

export interface DoorbellSession {
  readonly endpointId: string;
  readonly queues: readonly string[];
  /** False: there was no room for it. */
  readonly onRing: (ring: Ring) => boolean;
  /** Rings that there is room for. */
  readonly room: () => number;
  readonly onClose: () => void;
}

/** What the streams need of the doorbell. */
export interface Attachable {
  /** @returns the call that detaches. */
  attach(session: DoorbellSession): () => void;
}

export interface StreamInput {
  readonly endpointId: string;
  readonly queues: readonly string[];
  /** Throws `UNAUTHENTICATED` once the credential is refused. */
  readonly checkCredentialAgain: () => Promise<void>;
}

export interface OpenedStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Detaches, and ends the stream. Idempotent. */
  readonly end: () => void;
}

const encoder = new TextEncoder();
const KEEP_ALIVE = encoder.encode(': keep-alive\n\n');
const ATTACHED = encoder.encode(': attached\n\n');

export class DoorbellStreams {
  readonly #doorbell: Attachable;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #ends = new Set<() => void>();
  #closed = false;

  constructor({ doorbell, clock, logger }: { readonly doorbell: Attachable; readonly clock: Clock; readonly logger: Logger }) {
    this.#doorbell = doorbell;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Streams that are open. */
  get open(): number {
    return this.#ends.size;
  }

  /** @throws BellhopError `STORE_CLOSED` once the host stops; what the doorbell throws. */
  attach({ endpointId, queues, checkCredentialAgain }: StreamInput): OpenedStream {
    if (this.#closed) throw new BellhopError('STORE_CLOSED', 'The host stops.');
    let detach = (): void => {};
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      keepAlive.cancel();
      this.#ends.delete(end);
      detach();
      try {
        controller?.close();
      } catch {
        // Its reader cancelled it, and is gone.
      }
    };
    const room = (): number => (ended ? 0 : Math.max(0, controller?.desiredSize ?? 0));
    const write = (bytes: Uint8Array): boolean => {
      if (!controller || room() === 0) return false;
      controller.enqueue(bytes);
      return true;
    };
    const check = async (): Promise<void> => {
      try {
        await checkCredentialAgain();
      } catch (error) {
        if (isRefusal(error)) return end();
        // An outage ends no stream: the credential is asked for again at the next sign of life.
        this.#logger.warn({ endpointId, error: errorMessage(error) }, 'a doorbell credential could not be checked');
      }
      if (ended) return;
      write(KEEP_ALIVE);
      keepAlive = this.#clock.setTimeout(() => void check(), KEEP_ALIVE_MS);
    };
    let keepAlive = this.#clock.setTimeout(() => void check(), KEEP_ALIVE_MS);
    this.#ends.add(end);
    const source = {
      start: (own: ReadableStreamDefaultController<Uint8Array>): void => {
        controller = own;
        own.enqueue(ATTACHED);
        detach = this.#doorbell.attach({ endpointId, queues, onRing: (ring) => write(ringBytes(ring)), room, onClose: end });
        // It may have been closed while it was attached, when there was nothing to detach yet.
        if (ended) detach();
      },
      cancel: end,
    };
    try {
      return { body: new ReadableStream(source, new CountQueuingStrategy({ highWaterMark: RINGS_HELD_MAX })), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends every stream, and opens no more. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#ends]) end();
  }
}

function ringBytes({ todoId, queue, reason }: Ring): Uint8Array {
  const data = JSON.stringify({ todoId, queue, ...(reason === undefined ? {} : { reason }) });
  return encoder.encode(`event: todo.ready\ndata: ${data}\n\n`);
}

/** By its code: over HTTP a refused credential is an error of its own kind. */
function isRefusal(error: unknown): boolean {
  if (error instanceof BellhopError) return error.code === 'UNAUTHENTICATED';
  return error instanceof HttpError && error.failure.code === 'UNAUTHENTICATED';
}

/**
 * What the bodies of strangers may hold of this process at once, and for how long. Memory is counted as it is taken, until the work on the body is
 * done; what a request announces takes none. A sender that is over a bound is refused, and never waits.
 */
import type { Clock } from '@bellhop/kernel';
import type { Context } from 'hono';
import { readBounded } from './bounded-body.js';
import { HttpError } from './errors.js';

/** Over all senders. */
export const INBOUND_HELD_MAX_BYTES = 64 * 1024 * 1024;
export const INBOUND_HELD_OF_ADDRESS_MAX_BYTES = 20 * 1024 * 1024;
/** Milliseconds from the admission of a request to the last byte of its body. */
export const INBOUND_DEADLINE_MS = 30_000;

export interface InboundBodyInput {
  readonly maxBytes: number;
  /** Whose share it comes out of. */
  readonly countedAs: string;
}

export class InboundBodies {
  readonly #clock: Clock;
  readonly #ofAddress = new Map<string, number>();
  #heldBytes = 0;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Bytes of memory that are taken at this moment. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Reads the body of a request and works on it.
   *
   * @throws HttpError 408 past the deadline, 413 over `maxBytes`, 503 where the bounds of all bodies leave no room; what the work throws.
   */
  async use<Result>(
    context: Context,
    { maxBytes, countedAs }: InboundBodyInput,
    work: (body: Uint8Array) => Promise<Result>,
  ): Promise<Result> {
    let own = 0;
    const claim = (bytes: number): void => {
      this.#take(countedAs, bytes);
      own += bytes;
    };
    const deadline = new AbortController();
    const timer = this.#clock.setTimeout(() => deadline.abort(tooSlow()), INBOUND_DEADLINE_MS);
    try {
      const body = await readBounded(context, maxBytes, { claim, signal: deadline.signal });
      timer.cancel();
      return await work(body);
    } finally {
      timer.cancel();
      this.#release(countedAs, own);
    }
  }

  #take(address: string, bytes: number): void {
    const ofAddress = (this.#ofAddress.get(address) ?? 0) + bytes;
    if (ofAddress > INBOUND_HELD_OF_ADDRESS_MAX_BYTES) throw noRoom('from this address ');
    if (this.#heldBytes + bytes > INBOUND_HELD_MAX_BYTES) throw noRoom('');
    this.#heldBytes += bytes;
    this.#ofAddress.set(address, ofAddress);
  }

  #release(address: string, bytes: number): void {
    this.#heldBytes -= bytes;
    const left = (this.#ofAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }
}

function noRoom(whose: string): HttpError {
  return new HttpError({
    status: 503,
    code: 'TOO_BUSY',
    message: `The bodies that are coming in ${whose}at this moment take all the memory there is for them. Nothing was stored; send it again.`,
    headers: { 'Retry-After': '1' },
  });
}

function tooSlow(): HttpError {
  return new HttpError({
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message: `The body did not arrive within ${INBOUND_DEADLINE_MS / 1_000} s. Nothing was stored; send it again.`,
    // The rest of it is not waited for.
    headers: { Connection: 'close' },
  });
}

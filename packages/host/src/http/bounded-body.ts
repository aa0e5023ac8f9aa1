/**
 * Bodies, read up to a bound. What is kept is one buffer that grows with what arrives: a chunk may be a single byte, and a piece of memory for each would
 * hold many times the bytes that were sent. Nothing of a body is parsed or logged here.
 */
import type { Context } from 'hono';
import { HttpError } from './errors.js';

const DISCARD_MAX_BYTES = 16 * 1024 * 1024;
const FIRST_BYTES = 4 * 1024;

export interface BodyGuard {
  /** Asked for memory before it is taken. What it throws refuses the request. */
  readonly claim?: (bytes: number) => void;
  /** Once aborted nothing more is kept, and its reason refuses the request. */
  readonly signal?: AbortSignal;
}

/** The body as it came, at most so many bytes. @throws HttpError 413 as soon as it is known to be longer; what the guard refuses with. */
export async function readBounded(context: Context, maxBytes: number, { claim, signal }: BodyGuard = {}): Promise<Uint8Array> {
  // A request that announces too much is refused before any of it is read.
  if (Number(context.req.header('Content-Length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = context.req.raw.body?.getReader();
  if (!reader) return new Uint8Array();
  const gathered = new GatheredBytes(maxBytes, claim ?? (() => {}));
  try {
    const reading = gather(reader, gathered, signal);
    return await (signal ? Promise.race([reading, abortOf(signal)]) : reading);
  } catch (error) {
    void discard(reader);
    throw error;
  }
}

class GatheredBytes {
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly claim: (bytes: number) => void,
  ) {}

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.maxBytes) throw tooLarge(this.maxBytes);
    if (length > this.#buffer.byteLength) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  #grow(needed: number): void {
    const size = Math.min(this.maxBytes, Math.max(needed, FIRST_BYTES, this.#buffer.byteLength * 2));
    this.claim(size - this.#buffer.byteLength);
    const grown = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

async function gather(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  gathered: GatheredBytes,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch(hungUp);
    if (done || signal?.aborted) return gathered.bytes;
    gathered.add(value);
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Nobody reads this answer; but a sender that went away is no failure of the host's. */
function hungUp(): never {
  throw new HttpError({ status: 400, code: 'INVALID_INPUT', message: 'The body was cut off. Send the request again.' });
}

/**
 * Lets a sender finish what is refused, unkept, while its refusal is on the way: cancelling would cut the connection, and with it the
 * answer. One that sends much more is cut off.
 */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let bytes = 0; bytes <= DISCARD_MAX_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender hung up.
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError({
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: `The body is over ${maxBytes} bytes. Store large content elsewhere and send a reference.`,
  });
}

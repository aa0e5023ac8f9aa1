import { InputError } from '@bellhop/kernel';
import type { Context, MiddlewareHandler } from 'hono';
import { HttpError } from './errors.js';

/**
 * The longest body that is read: a payload of 256 KiB, written with JSON escapes up to three times as long, and everything around it. What
 * comes after is not read, whatever Content-Length said.
 */
export const BODY_MAX_BYTES = 768 * 1024;

const DISCARD_MAX_BYTES = 16 * 1024 * 1024;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads the body of a request whose route takes JSON: of the right type, within its bound, in well-formed UTF-8. Parsing is the route's. */
export const jsonBody: MiddlewareHandler = async (context, next) => {
  requireJsonType(context.req.header('Content-Type'));
  const text = decode(await readBounded(context, BODY_MAX_BYTES));
  // Where `context.req.json()` looks first. Its declared type is that of the settled value; hono itself keeps a promise there.
  context.req.bodyCache.text = Promise.resolve(text) as unknown as string;
  await next();
};

/** @throws HttpError 415 for any other. */
export function requireJsonType(given: string | undefined): void {
  const type = given?.split(';')[0]?.trim() ?? '';
  if (JSON_TYPE.test(type)) return;
  throw new HttpError({
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: `Content-Type: ${given === undefined ? 'none' : JSON.stringify(given)} given; send the body as application/json.`,
  });
}

/** The body as it came, at most so many bytes. @throws HttpError 413 as soon as it is known to be longer. */
export async function readBounded(context: Context, maxBytes: number): Promise<Uint8Array> {
  // A request that announces too much is refused before any of it is read.
  if (Number(context.req.header('Content-Length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = context.req.raw.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(hungUp);
    if (done) return Buffer.concat(chunks, bytes);
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      void discard(reader);
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
}

/** Nobody reads this answer; but a sender that went away is no failure of the host's. */
function hungUp(): never {
  throw new HttpError({ status: 400, code: 'INVALID_INPUT', message: 'The body was cut off. Send the request again.' });
}

/**
 * Lets a sender finish what is over the bound, unkept, while its refusal is on the way: cancelling would cut the connection, and with it the
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

/** A byte that is no UTF-8 would be stored as U+FFFD: something else than what was sent. */
function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new InputError('INVALID_INPUT', 'The body is not well-formed UTF-8. JSON is sent in UTF-8.', { cause });
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError({
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: `The body is over ${maxBytes} bytes. Store large content elsewhere and send a reference.`,
  });
}

import { InputError } from '@bellhop/kernel';
import type { MiddlewareHandler } from 'hono';
import { readBounded } from './bounded-body.js';
import { HttpError } from './errors.js';
import { refuseInfinite } from './finite-numbers.js';

/**
 * The longest body that is read: a payload of 256 KiB, written with JSON escapes up to three times as long, and everything around it. What
 * comes after is not read, whatever Content-Length said.
 */
export const BODY_MAX_BYTES = 768 * 1024;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a request whose route takes JSON: of the right type, within its bound, in well-formed UTF-8, of numbers that are finite. Parsing
 * is the route's.
 */
export const jsonBody: MiddlewareHandler = async (context, next) => {
  requireJsonType(context.req.header('Content-Type'));
  const text = decode(await readBounded(context, BODY_MAX_BYTES));
  refuseInfinite(text);
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

/** A byte that is no UTF-8 would be stored as U+FFFD: something else than what was sent. */
function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new InputError('INVALID_INPUT', 'The body is not well-formed UTF-8. JSON is sent in UTF-8.', { cause });
  }
}

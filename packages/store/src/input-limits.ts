import { describe, refuse } from './refuse-input.js';

/**
 * What may enter a store, the same on every dialect: checked once at the door, so that no row is accepted by one database and refused by
 * the next. U+0000 (Postgres cannot hold it) and lone surrogates (no UTF-8 form) are refused in what callers give, and stripped from
 * error texts, which nobody can correct any more.
 */
export const NAME_MAX_CHARACTERS = 255;
export const PAYLOAD_MAX_BYTES = 256 * 1024;
export const ERROR_TEXT_MAX_BYTES = 8 * 1024;

/** With the `u` flag a paired surrogate is one character of another class. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** JSON escapes of exactly the two things refused: `JSON.stringify` escapes a surrogate only when it stands alone. */
const REFUSED_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * A name or an id: a non-empty string of at most 255 characters (code points).
 *
 * @param path where the value sits in the input, for the message: `audience[2]`.
 * @throws InputError `INVALID_INPUT`.
 */
export function checkName(value: unknown, path: string): string {
  const text = checkText(value, path);
  if (text.length === 0) refuse(path, `empty; 1 to ${NAME_MAX_CHARACTERS} characters are allowed`);
  if (text.length > NAME_MAX_CHARACTERS) {
    const characters = [...text].length;
    if (characters > NAME_MAX_CHARACTERS) refuse(path, `${characters} characters given; at most ${NAME_MAX_CHARACTERS} are allowed`);
  }
  return text;
}

/**
 * Any text, of any length. @throws InputError `INVALID_INPUT` when it is no string, or holds U+0000 or a lone surrogate.
 */
export function checkText(value: unknown, path: string): string {
  if (typeof value !== 'string') refuse(path, `${describe(value)} given; a string is needed`);
  const fault = textFault(value);
  if (fault) refuse(path, `the text holds ${fault}, which no store can keep; remove it`);
  return value;
}

/**
 * A payload: anything JSON can hold, at most 256 KiB as UTF-8.
 *
 * @param maxBytes another bound.
 * @returns its JSON text: what is stored, so it is serialised once.
 * @throws InputError `PAYLOAD_TOO_LARGE`; `INVALID_INPUT` when JSON cannot hold it, or a text or key in it holds U+0000 or a lone surrogate.
 */
export function checkPayload(value: unknown, path: string, maxBytes: number = PAYLOAD_MAX_BYTES): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    refuse(path, 'not serialisable as JSON (a cycle, a BigInt, a throwing toJSON, or nested too deep); give plain data', cause);
  }
  if (text === undefined) refuse(path, `${describe(value)} given; JSON cannot hold it`);
  // A character is at least one byte: texts that are too long by that count need no encoding to be refused.
  const bytes = text.length > maxBytes ? text.length : Buffer.byteLength(text);
  if (bytes > maxBytes) {
    refuse(
      path,
      `over ${maxBytes} bytes as JSON (${Buffer.byteLength(text)}); store large content elsewhere and send a reference`,
      undefined,
      'PAYLOAD_TOO_LARGE',
    );
  }
  if (REFUSED_ESCAPE.test(text)) {
    const fault = findFault(JSON.parse(text), path);
    refuse(fault.path, `the text holds ${fault.fault}, which no store can keep; remove it`);
  }
  return text;
}

/** An error text fit to be stored: U+0000 and lone surrogates removed, cut to 8 KiB of UTF-8 at a character's edge. */
export function stripText(text: string): string {
  // Cut before the scan too: a provider's error can be megabytes. Every character kept takes at least a byte, every stripped one is rare.
  const head = text.length > ERROR_TEXT_MAX_BYTES * 2 ? text.slice(0, ERROR_TEXT_MAX_BYTES * 2) : text;
  const clean = head.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '');
  if (Buffer.byteLength(clean) <= ERROR_TEXT_MAX_BYTES) return clean;
  const cut = new Uint8Array(ERROR_TEXT_MAX_BYTES);
  return clean.slice(0, new TextEncoder().encodeInto(clean, cut).read);
}

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  if (LONE_SURROGATE.test(text)) return 'a lone surrogate';
  return undefined;
}

function findFault(value: unknown, path: string): { path: string; fault: string } {
  return searchFault(value, path) ?? { path, fault: 'U+0000 or a lone surrogate' };
}

function searchFault(value: unknown, path: string): { path: string; fault: string } | undefined {
  if (typeof value === 'string') {
    const fault = textFault(value);
    return fault ? { path, fault } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const memberPath = Array.isArray(value) ? `${path}[${key}]` : `${path}.${stripText(key)}`;
    const fault = textFault(key);
    if (fault) return { path: memberPath, fault };
    const inside = searchFault(member, memberPath);
    if (inside) return inside;
  }
  return undefined;
}

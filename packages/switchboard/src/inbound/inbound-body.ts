import { BellhopError, InputError } from '@bellhop/kernel';
import { checkPayload } from '@bellhop/store';

// The body of an inbound webhook, read once its signature is known to be right. What it holds must never be part of an error.

export const BODY_MAX_BYTES = 5 * 1024 * 1024;

/** Deeper ones overflow the stack of whatever walks them. */
const MOST_LEVELS = 500;

const OPENS = new Set([0x7b, 0x5b]);
const CLOSES = new Set([0x7d, 0x5d]);
/** What a text holds that has a number beyond the doubles, among others: only such a one is looked through. */
const MAY_OVERFLOW = /[eE]\+?\d{3}|\d{200}/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export interface InboundBody {
  readonly value: unknown;
  /** Its JSON text, to be stored. */
  readonly text: string;
}

/** @throws InputError `PAYLOAD_TOO_LARGE` over 5 MiB. */
export function checkBodySize(body: Uint8Array): void {
  if (body.byteLength <= BODY_MAX_BYTES) return;
  throw new InputError('PAYLOAD_TOO_LARGE', `body: ${body.byteLength} bytes given; at most ${BODY_MAX_BYTES} are allowed.`, {
    path: 'body',
  });
}

/**
 * @throws InputError `INVALID_INPUT` for what is no JSON in UTF-8, is nested over 500 levels, has a number that no double holds, or holds what no store can keep; `PAYLOAD_TOO_LARGE`
 * where its JSON text is over 5 MiB, as numbers written short can be.
 */
export function readBody(body: Uint8Array): InboundBody {
  if (levelsOf(body) > MOST_LEVELS) throw refusal(`nested over ${MOST_LEVELS} levels`);
  const value = parse(body);
  try {
    return { value, text: checkPayload(value, 'body', BODY_MAX_BYTES) };
  } catch (error) {
    // Its own path would lead through the keys of the body, which anybody may have chosen.
    if (error instanceof BellhopError && error.code === 'PAYLOAD_TOO_LARGE') {
      throw new InputError('PAYLOAD_TOO_LARGE', `body: over ${BODY_MAX_BYTES} bytes as JSON text.`, { path: 'body' });
    }
    throw refusal('a text in it holds U+0000 or a lone surrogate, which no store can keep');
  }
}

function parse(body: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    value = JSON.parse(text);
  } catch {
    throw refusal('no JSON in UTF-8; have the source send application/json');
  }
  // It was parsed to Infinity, which would be stored as null.
  if (MAY_OVERFLOW.test(text) && !hasFinite(value))
    throw refusal('a number in it is beyond ±1.8e308, which no double holds; have it sent as text');
  return value;
}

/** Whether each number in it is. By recursion: it nests 500 levels at most. */
function hasFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFinite);
}

/** How deep the brackets of a JSON text nest. Without a stack of its own, and before anything else walks it. */
function levelsOf(body: Uint8Array): number {
  let [level, deepest, inText] = [0, 0, false];
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === QUOTE) inText = !inText;
    else if (inText && byte === BACKSLASH) at++;
    else if (!inText && OPENS.has(byte)) deepest = Math.max(deepest, ++level);
    else if (!inText && CLOSES.has(byte)) level--;
  }
  return deepest;
}

function refusal(problem: string): InputError {
  return new InputError('INVALID_INPUT', `body: ${problem}.`, { path: 'body' });
}

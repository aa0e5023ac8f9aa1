/**
 * Words out of events, made fit to be a column and to be shown on one line. What comes in was written by strangers: it is cut and neutralised here,
 * and nowhere is it trusted.
 */
import { createHash } from 'node:crypto';

const MOST_CHARACTERS = 255;

/** Control characters, line and paragraph breaks, half a character, and marks that turn the direction of what follows. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A line of at most 255 characters; null where nothing is left, or it is no text. */
export function lineOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  // Cut first: a title can be megabytes. A character is at most two code units.
  const line = value
    .slice(0, MOST_CHARACTERS * 4)
    .replace(UNFIT, ' ')
    .trim();
  const characters = [...line];
  const cut = characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…` : line;
  return cut === '' ? null : cut;
}

/** A name that is compared with others: exactly as it came, or null where it does not fit. A cut one would be another's. */
export function nameOf(value: unknown): string | null {
  return value === lineOf(value) ? (value as string | null) : null;
}

/** An id that is compared with others: exactly as it came, or the hash of one that does not fit, which no other has. */
export function idOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return nameOf(value) ?? `sha256-${createHash('sha256').update(value).digest('hex')}`;
}

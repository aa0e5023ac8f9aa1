import { InputError } from '@bellhop/kernel';
import { stripText } from '@bellhop/store';

/**
 * JSON writes numbers that no double holds; parsed they are Infinity, and stored they would be null: something else than what was sent. Only texts
 * that may hold one are looked through: an exponent of three digits, or two hundred digits, which an exponent of two can still lift too far.
 */
const MAY_OVERFLOW = /[eE]\+?\d{3}|\d{200}/;

const KEY_MAX_CHARACTERS = 80;
const PATH_MAX_CHARACTERS = 255;

/** A value and how to get there. Linked and not nested: JSON nests deeper than any stack. */
interface Place {
  readonly value: unknown;
  readonly key: string;
  readonly parent: Place | null;
}

/** Refuses a JSON text with a number that is not finite as a double. A malformed text is left to whoever parses it. @throws InputError `INVALID_INPUT`. */
export function refuseInfinite(text: string): void {
  if (!MAY_OVERFLOW.test(text)) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  const place = infiniteIn(value);
  if (!place) return;
  const path = pathOf(place);
  throw new InputError('INVALID_INPUT', `${path || 'the body'}: a number beyond ±1.8e308, which no double holds; send it as text.`, {
    path,
  });
}

function infiniteIn(value: unknown): Place | undefined {
  const open: Place[] = [{ value, key: '', parent: null }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value } = place;
    if (typeof value === 'number' && !Number.isFinite(value)) return place;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== 'number' && typeof member !== 'object') continue;
      const step = Array.isArray(value) ? `[${key}]` : `.${stripText(key.slice(0, KEY_MAX_CHARACTERS))}`;
      open.push({ value: member, key: step, parent: place });
    }
  }
  return undefined;
}

function pathOf(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | null = place; at; at = at.parent) steps.push(at.key);
  return steps.reverse().join('').replace(/^\./, '').slice(0, PATH_MAX_CHARACTERS);
}

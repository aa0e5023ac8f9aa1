import { refuse, shown } from './refuse-input.js';

/** The latest instant a `Date` can hold, so that a stored time can always be shown. */
const LATEST_TIME = 8.64e15;

/** A sum with 0 has no sign where it is 0: −0 is equal to 0, but JSON, and with it a database, gives 0 back. */
const unsigned = (value: number) => value + 0;

/** A whole number within bounds, both included; −0 is 0. @throws InputError `INVALID_INPUT`. */
export function checkWhole(value: unknown, path: string, { least, most }: { readonly least: number; readonly most: number }): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return unsigned(value);
  refuse(path, `${shown(value)} given; an integer from ${least} to ${most} is allowed`);
}

/** A count or a span of milliseconds: an integer of at least 1. @throws InputError `INVALID_INPUT`. */
export function checkPositive(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  refuse(path, `${shown(value)} given; an integer of at least 1 is needed`);
}

/** Epoch milliseconds: an integer from 0 to the latest time a Date holds. @throws InputError `INVALID_INPUT`. */
export function checkTime(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LATEST_TIME) return unsigned(value);
  refuse(path, `${shown(value)} given; epoch milliseconds are needed, an integer from 0 to ${LATEST_TIME}`);
}

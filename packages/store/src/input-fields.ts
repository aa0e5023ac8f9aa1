import { refuse } from './refuse-input.js';

/** Whose a row is when nobody says. */
export const DEFAULT_ORGANIZATION = 'default';

/**
 * An object with no other fields than those allowed. One that does not exist is refused, not ignored: a misspelt `idempotencykey` would run
 * a job twice.
 *
 * @param path where the object sits in the input, for the message.
 * @param at what stands before its fields in paths: `''`, or `inputs[3].`.
 * @throws InputError `INVALID_INPUT`.
 */
export function checkFields(value: unknown, path: string, allowed: readonly string[], at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(path, `an object with ${allowed.join(', ')} is needed`);
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  if (unknown !== undefined) refuse(`${at}${unknown}`, `no such field; ${allowed.join(', ')} are allowed`);
  return value as Record<string, unknown>;
}

import { type ErrorCode, InputError } from '@bellhop/kernel';

/** Refuses what a caller gave. @param path where it sits in the input; '' for the input itself. */
export function refuse(path: string, problem: string, cause?: unknown, code: ErrorCode = 'INVALID_INPUT'): never {
  throw new InputError(code, `${path}: ${problem}.`, cause === undefined ? { path } : { path, cause });
}

/** A value of the wrong kind, for the message that refuses it. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return value === undefined ? 'nothing' : `a value of type ${typeof value}`;
}

/** A value out of its bounds, for the message that refuses it: numbers and short texts as they are. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.length <= 80 ? JSON.stringify(value) : describe(value);
}

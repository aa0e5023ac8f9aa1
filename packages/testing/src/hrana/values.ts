/** Values between the wire and better-sqlite3: exact both ways, so an integer stays an integer (bigint here) and 5.0 stays a float. */
import { HranaProtocolError, type HranaValue } from './wire.js';

/** What better-sqlite3 takes and, with safe integers, returns. A number is a SQLite REAL. */
export type SqliteValue = null | bigint | number | string | Buffer;

/** @throws HranaProtocolError for a value without one of the five types. */
export function fromWire(value: HranaValue): SqliteValue {
  switch (value?.type) {
    case 'null':
      return null;
    case 'integer':
      return integer(value.value);
    case 'float':
      if (typeof value.value !== 'number') break;
      return value.value;
    case 'text':
      if (typeof value.value !== 'string') break;
      return value.value;
    case 'blob':
      if (typeof value.base64 !== 'string') break;
      return Buffer.from(value.base64, 'base64');
  }
  throw new HranaProtocolError(`A value is ${JSON.stringify(value)}; allowed are null, integer (a string), float, text and blob (base64).`);
}

export function toWire(value: SqliteValue): HranaValue {
  if (value === null) return { type: 'null' };
  if (typeof value === 'bigint') return { type: 'integer', value: value.toString() };
  if (typeof value === 'number') return { type: 'float', value };
  if (typeof value === 'string') return { type: 'text', value };
  return { type: 'blob', base64: value.toString('base64').replace(/=+$/, '') };
}

function integer(text: unknown): bigint {
  if (typeof text === 'string' && /^-?\d{1,19}$/.test(text)) {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  throw new HranaProtocolError(`An integer is ${JSON.stringify(text)}; allowed is a decimal string of 64 bits.`);
}

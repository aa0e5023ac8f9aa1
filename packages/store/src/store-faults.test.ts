import { StoreError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { faultKind, toStoreError } from './store-faults.js';

const failed = (message: string, code?: string, cause?: unknown) => Object.assign(new Error(message, { cause }), code ? { code } : {});

describe('store faults', () => {
  it.each([
    ['busy', failed('database is locked', 'SQLITE_BUSY')],
    ['busy', failed('database is locked', 'SQLITE_BUSY_SNAPSHOT')],
    ['busy', failed('wrapped', undefined, failed('x', 'SQLITE_LOCKED'))],
    ['conflict', failed('deadlock detected', '40P01')],
    ['conflict', failed('could not serialize access', '40001')],
    ['connection', failed('terminating connection due to administrator command', '57P01')],
    ['connection', failed('terminating connection due to idle-in-transaction timeout', '25P03')],
    ['connection', failed('read ECONNRESET', 'ECONNRESET')],
    ['connection', failed('Connection terminated unexpectedly')],
    ['connection', failed('fetch failed', undefined, failed('connect', 'ECONNREFUSED'))],
    ['expired', failed('The stream has expired due to inactivity', 'STREAM_EXPIRED')],
    ['other', failed('UNIQUE constraint failed', 'SQLITE_CONSTRAINT_UNIQUE')],
    ['other', failed('duplicate key value', '23505')],
    ['other', 'not an error'],
  ])('%s: %s', (kind, error) => {
    expect(faultKind(error)).toBe(kind);
  });

  it('become coded errors that keep the first one as their cause; anything else passes as it is', () => {
    const busy = failed('database is locked', 'SQLITE_BUSY');
    expect(toStoreError(busy)).toMatchObject({ code: 'STORE_BUSY', cause: busy });
    const lost = failed('read ECONNRESET', 'ECONNRESET');
    expect(toStoreError(lost)).toMatchObject({ code: 'STORE_UNAVAILABLE', cause: lost });
    const duplicate = failed('duplicate key value', '23505');
    expect(toStoreError(duplicate)).toBe(duplicate);
    const coded = new StoreError('BATCH_ONLY', 'x');
    expect(toStoreError(coded)).toBe(coded);
  });
});

import { StoreError } from '@bellhop/kernel';

/** What an error of a driver means for whoever has to go on. */
export type FaultKind = 'busy' | 'conflict' | 'connection' | 'expired' | 'other';

const POSTGRES_CONNECTION = /^(08|57P0[1-5]|53300)/;
const SYSTEM_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
]);
const CONNECTION_TEXT =
  /connection terminated|connection ended|client has encountered a connection error|fetch failed|socket hang up|timeout exceeded when trying to connect|not queryable|query read timeout/i;
const EXPIRED_TEXT = /STREAM_EXPIRED|stream (has )?expired|stream not found|invalid baton/i;

/**
 * Tells faults apart. `busy`: another writer holds the SQLite lock. `conflict`: a deadlock or serialization failure, the transaction was rolled
 * back. `connection`: the server could not be reached or the exchange broke off, so a write may or may not have happened. `expired`: a remote
 * libSQL stream ended before the statement ran.
 */
export function faultKind(error: unknown): FaultKind {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const code = String((cause as { code?: unknown }).code ?? '');
    if (/^SQLITE_(BUSY|LOCKED)/.test(code) || /SQLITE_BUSY|database is locked/.test(cause.message)) return 'busy';
    if (code === '40001' || code === '40P01') return 'conflict';
    if (EXPIRED_TEXT.test(code) || EXPIRED_TEXT.test(cause.message)) return 'expired';
    if (POSTGRES_CONNECTION.test(code) || SYSTEM_CONNECTION.has(code) || CONNECTION_TEXT.test(cause.message)) return 'connection';
    if (code === 'SERVER_ERROR' && /\b(500|502|503|504)\b/.test(cause.message)) return 'connection';
  }
  return 'other';
}

/** The error a caller sees: faults of the store get its code, the first error stays as the cause; anything else passes as it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  switch (faultKind(error)) {
    case 'busy':
      return new StoreError('STORE_BUSY', `The database stayed locked by another writer: ${message}. Nothing was written; try again.`, {
        cause: error,
      });
    case 'connection':
    case 'expired':
      return new StoreError('STORE_UNAVAILABLE', `The database cannot be reached: ${message}.`, { cause: error });
    default:
      return error;
  }
}

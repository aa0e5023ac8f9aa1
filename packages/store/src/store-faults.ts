import { StoreError } from '@bellhop/kernel';

/** What an error of a driver means for whoever has to go on. */
export type FaultKind = 'busy' | 'conflict' | 'connection' | 'expired' | 'full' | 'timeout' | 'refused' | 'other';

/** 08: connection exceptions. 57P01 to 57P05, 25P03: the server shuts down, starts, or ended the session. 53300: it has no connection to spare. */
const POSTGRES_CONNECTION = /^(08...|57P0[1-5]|25P03|53300)$/;
/** 28: wrong user or password. 3D000: no such database. */
const POSTGRES_REFUSED = /^(28...|3D000)$/;
const SYSTEM_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
const CONNECTION_TEXT =
  /connection terminated|connection ended|client has encountered a connection error|fetch failed|socket hang up|timeout expired|timeout exceeded when trying to connect|timeout acquiring a connection|not queryable|query read timeout|aborted due to timeout/i;
const EXPIRED_TEXT = /STREAM_EXPIRED|stream (has )?expired|stream not found|invalid baton/i;

/**
 * Tells faults apart.
 *
 * - `busy`: another writer holds the SQLite lock. Nothing was written.
 * - `conflict`: a deadlock or a serialization failure. The transaction was rolled back.
 * - `connection`: the server could not be reached, or the exchange broke off: a write may or may not have happened.
 * - `expired`: a remote libSQL stream ended before the statement ran.
 * - `full`: the disk, or the size a database may have. The statement was rolled back.
 * - `timeout`: the server gave the statement up. It was rolled back.
 * - `refused`: the server answers, but not to these credentials.
 */
export function faultKind(error: unknown): FaultKind {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const kind = kindOf(String((cause as { code?: unknown }).code ?? ''), cause.message);
    if (kind) return kind;
  }
  return 'other';
}

function kindOf(code: string, message: string): FaultKind | undefined {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code) || /SQLITE_BUSY|database is locked/.test(message)) return 'busy';
  if (/^SQLITE_FULL/.test(code) || code === '53100') return 'full';
  if (code === '40001' || code === '40P01') return 'conflict';
  if (code === '57014') return 'timeout';
  if (EXPIRED_TEXT.test(code) || EXPIRED_TEXT.test(message)) return 'expired';
  if (POSTGRES_REFUSED.test(code)) return 'refused';
  if (POSTGRES_CONNECTION.test(code) || SYSTEM_CONNECTION.has(code) || CONNECTION_TEXT.test(message)) return 'connection';
  if (code === 'SERVER_ERROR') {
    if (/\b(500|502|503|504)\b/.test(message)) return 'connection';
    if (/\b(401|403)\b/.test(message)) return 'refused';
  }
  return undefined;
}

/** The error a caller sees: faults of the store get its code, the first error stays as the cause; anything else passes as it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message || String((error as { code?: unknown }).code ?? error.name) : String(error);
  const cause = { cause: error };
  switch (faultKind(error)) {
    case 'busy':
      return new StoreError(
        'STORE_BUSY',
        `The database stayed locked by another writer: ${message}. Nothing was written; try again.`,
        cause,
      );
    case 'conflict':
      return new StoreError('STORE_BUSY', `The transaction collided with others: ${message}. It was rolled back; try again.`, cause);
    case 'full':
      return new StoreError(
        'STORE_FULL',
        `The database has no room: ${message}. Nothing was written; free some space and try again.`,
        cause,
      );
    case 'timeout':
      return new StoreError(
        'STORE_BUSY',
        `A statement took longer than allowed: ${message}. It was rolled back. Look for who holds a lock, or raise statementTimeoutMs.`,
        cause,
      );
    case 'refused':
      return new StoreError(
        'STORE_UNAVAILABLE',
        `The database server refuses these credentials: ${message}. Check the URL and the auth token.`,
        cause,
      );
    case 'connection':
    case 'expired':
      return new StoreError(
        'STORE_UNAVAILABLE',
        `The database cannot be reached: ${message}. A write that was on its way may or may not have happened.`,
        cause,
      );
    default:
      return error;
  }
}

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from '@bellhop/kernel';

/** Where the database is, read from its URL. */
export type DatabaseAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'libsql-file'; readonly file: string }
  | { readonly kind: 'libsql-remote'; readonly url: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const URL_FORMS =
  'file:<path> (embedded SQLite), memory: (SQLite in memory), libsql:file:<path> (libSQL file), libsql://… or http(s)://… (remote libSQL), postgres://…';

/** @throws StoreError `STORE_URL`, naming the forms that are allowed (and never the URL's password). */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  if (url === 'memory:' || url === 'memory://') return { kind: 'memory' };
  if (url.startsWith('file:')) return { kind: 'sqlite', file: filePath(url) };
  if (url.startsWith('libsql:file:')) return { kind: 'libsql-file', file: filePath(url.slice('libsql:'.length)) };
  if (/^(libsql|https?|wss?):\/\/./.test(url)) return { kind: 'libsql-remote', url: wellFormed(url) };
  if (/^postgres(ql)?:\/\/./.test(url)) return { kind: 'postgres', url: wellFormed(url) };
  throw new StoreError('STORE_URL', `The database URL ${shown(url)} names no supported store. Allowed: ${URL_FORMS}.`);
}

/** The URL without its credentials, for logs and messages. */
export function redactUrl(url: string): string {
  return url.replace(/\/\/[^?#]*@/, '//***@').replace(/([?&](?:authToken|password)=)[^&]*/gi, '$1***');
}

function filePath(url: string): string {
  let path: string;
  try {
    path = url.startsWith('file://') ? fileURLToPath(url) : decodeURIComponent(url.slice('file:'.length));
  } catch (error) {
    throw new StoreError(
      'STORE_URL',
      `The database URL ${shown(url)} is malformed: ${(error as Error).message}. Write file:relative/path.db or file:///absolute/path.db.`,
      {
        cause: error,
      },
    );
  }
  if (path === '' || path === ':memory:' || path.includes('?') || path.includes('\0')) {
    throw new StoreError(
      'STORE_URL',
      `The database URL ${shown(url)} names no file. Write file:relative/path.db, file:///absolute/path.db, or memory: for a database in memory.`,
    );
  }
  return resolve(path);
}

function wellFormed(url: string): string {
  if (!URL.canParse(url)) throw new StoreError('STORE_URL', `The database URL ${shown(url)} is malformed. Allowed: ${URL_FORMS}.`);
  return url;
}

function shown(url: string): string {
  return JSON.stringify(redactUrl(url));
}

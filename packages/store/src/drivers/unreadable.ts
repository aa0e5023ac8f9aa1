import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '@bellhop/kernel';
import { faultKind, toStoreError } from '../store-faults.js';

/** A write, to be rolled back: BEGIN IMMEDIATE alone succeeds on a file that may only be read. */
export const PROBE = 'CREATE TABLE bellhop_permission (probe)';

/** Says in one line why a database file cannot be opened, and what to do. A lock that outlasts the budget stays what it is. */
export function unreadable(file: string, error: unknown): StoreError {
  if (faultKind(error) === 'busy') return toStoreError(error) as StoreError;
  const { code = '', message } = error as { code?: string; message: string };
  return new StoreError('STORE_UNREADABLE', `Cannot open the database ${file}: ${reason(file, code, message)}.`, { cause: error });
}

function reason(file: string, code: string, message: string): string {
  if (code === 'SQLITE_NOTADB' || /not a database/.test(message)) {
    return 'the file is not a SQLite database. Name another file, or move this one away';
  }
  if (!existsSync(dirname(file))) return 'its folder does not exist. Create the folder first';
  if (existsSync(file) && statSync(file).isDirectory()) return 'it is a folder. Name a file in it';
  if (/CANTOPEN|READONLY|PERM/.test(code) || /unable to open|readonly database/i.test(message)) {
    return `${message}. Check that this user may read and write the file, its -wal and -shm files, and the folder`;
  }
  return message;
}

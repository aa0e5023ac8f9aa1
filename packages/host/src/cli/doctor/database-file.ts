import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDatabaseUrl } from '@bellhop/store';
import { DEFAULT_DATABASE_URL } from '../../config/default-database.js';
import { type Finding, fail, ok } from './finding.js';

/** @returns what to say of a database file that does not exist; undefined when there is one, or no file is involved. */
export function databaseFileMissing(url: string): Finding | undefined {
  const address = parseDatabaseUrl(url);
  if (!('file' in address) || existsSync(address.file)) return undefined;
  if (url === DEFAULT_DATABASE_URL || existsSync(dirname(address.file))) {
    return ok('database', `${address.file} does not exist yet; \`bellhop start\` or \`bellhop migrate\` creates it`);
  }
  return fail('database', `the folder ${dirname(address.file)} does not exist; create it first`);
}

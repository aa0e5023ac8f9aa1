import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { BellhopError, errorMessage } from '@bellhop/kernel';

const FOLDER = '.bellhop';

/** An embedded SQLite file in the folder that the host is started in. */
export const DEFAULT_DATABASE_URL = `file:${FOLDER}/bellhop.db`;

/** Creates the folder of the default database. One that somebody named is theirs to create: a typo must not make a second database. */
export function createDefaultFolder(databaseUrl: string): void {
  if (databaseUrl !== DEFAULT_DATABASE_URL) return;
  const path = resolve(FOLDER);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new BellhopError(
      'CONFIG',
      `Cannot create the folder ${path} for the database: ${errorMessage(error)}. Name another place with --database-url.`,
      {
        cause: error,
      },
    );
  }
}

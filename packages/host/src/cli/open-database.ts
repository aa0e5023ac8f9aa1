import { existsSync } from 'node:fs';
import type { Store } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import { openStore, parseDatabaseUrl } from '@bellhop/store';
import { createDefaultFolder } from '../config/default-database.js';
import { type Flags, readSettings, type Settings } from '../config/settings.js';
import { storeOptions } from '../plugins.js';

/**
 * Runs a command on the configured database, beside hosts that may be running on it.
 *
 * @throws BellhopError `CONFIG` for `memory:`, which no other process can see; what opening the store throws.
 */
export async function withDatabase<T>(flags: Flags, command: (store: Store, settings: Settings) => Promise<T>): Promise<T> {
  return open(await keptDatabase(flags), command);
}

/**
 * As {@link withDatabase}, for a command that has nothing to do where there is no database: it creates none.
 *
 * @param missing takes the path of the file that does not exist.
 */
export async function withExistingDatabase<T>(
  flags: Flags,
  command: (store: Store, settings: Settings) => Promise<T>,
  missing: (file: string) => T,
): Promise<T> {
  const settings = await keptDatabase(flags);
  const address = parseDatabaseUrl(settings.databaseUrl);
  return 'file' in address && !existsSync(address.file) ? missing(address.file) : open(settings, command);
}

async function keptDatabase(flags: Flags): Promise<Settings> {
  const settings = await readSettings(flags, process.env, process.cwd());
  if (parseDatabaseUrl(settings.databaseUrl).kind === 'memory') {
    throw new BellhopError(
      'CONFIG',
      'The database memory: lives inside the host that opened it; no command can reach it. Name a database that is kept.',
    );
  }
  return settings;
}

async function open<T>(settings: Settings, command: (store: Store, settings: Settings) => Promise<T>): Promise<T> {
  createDefaultFolder(settings.databaseUrl);
  const store = await openStore(storeOptions(settings.options));
  try {
    return await command(store, settings);
  } finally {
    await store.close();
  }
}

import type { MigrationSet } from '@bellhop/contracts';
import type { KernelPlugin } from '@bellhop/kernel';
import { messagingMigrations, messagingPlugin } from '@bellhop/service-messaging';
import { storePlugin } from '@bellhop/store';
import { DEFAULT_DATABASE_URL } from './config/default-database.js';
import type { HostOptions } from './config/host-config.js';
import { keyPlugin } from './keys/key-plugin.js';

/** A plugin that tells its schema, so that `bellhop migrate` and `bellhop doctor` know it without starting the plugin. */
export type MigratingPlugin = KernelPlugin & { readonly migrations?: readonly MigrationSet[] };

/** Every plugin of a host: the built-in ones, then those of its config. @throws BellhopError `PLUGIN_OPTIONS`. */
export function hostPlugins({ channels = [], database, messaging, plugins = [], posture }: HostOptions): MigratingPlugin[] {
  const messagingWithSchema = Object.assign(messagingPlugin({ ...messaging, channels }), { migrations: [messagingMigrations] });
  return [storePlugin(storeOptions({ database, posture })), keyPlugin(), messagingWithSchema, ...plugins];
}

/** The host's store: several organizations share it, so its posture is `isolated` unless the config says otherwise. */
export function storeOptions({ database, posture = 'isolated' }: Pick<HostOptions, 'database' | 'posture'>) {
  return { url: DEFAULT_DATABASE_URL, ...database, posture };
}

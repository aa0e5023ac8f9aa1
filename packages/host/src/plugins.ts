import type { MigratingPlugin } from '@bellhop/contracts';
import type { KernelPlugin } from '@bellhop/kernel';
import { reaperPlugin } from '@bellhop/reaper';
import { messagingPlugin } from '@bellhop/service-messaging';
import { queuePlugin } from '@bellhop/service-queue';
import { storePlugin } from '@bellhop/store';
import { switchboardPlugin } from '@bellhop/switchboard';
import { stallPlugin } from '@bellhop/switchboard-stall';
import { DEFAULT_DATABASE_URL } from './config/default-database.js';
import type { HostOptions } from './config/host-config.js';
import { keyPlugin } from './keys/key-plugin.js';

/** One that tells its schema is migrated and checked by `bellhop migrate` and `bellhop doctor` without being started. */
export type HostPlugin = KernelPlugin & Partial<MigratingPlugin>;

/** Every plugin of a host: the built-in ones, then those of its config. @throws BellhopError `PLUGIN_OPTIONS`. */
export function hostPlugins(options: HostOptions): HostPlugin[] {
  const { channels = [], database, messaging, plugins = [], posture, queue, reaper } = options;
  return [
    storePlugin(storeOptions({ database, posture })),
    keyPlugin(),
    reaperPlugin(reaper),
    queuePlugin(queue),
    messagingPlugin({ ...messaging, channels }),
    ...boardPlugins(options),
    ...plugins,
  ];
}

/** The board, and what wakes the consumers of its stalled queues. */
export function boardPlugins({ encryptionKey, outbound, switchboard }: HostOptions): HostPlugin[] {
  return [switchboardPlugin({ ...switchboard, encryptionKey, outbound }), stallPlugin()];
}

/** The host's store: several organizations share it, so its posture is `isolated` unless the config says otherwise. */
export function storeOptions({ database, posture = 'isolated' }: Pick<HostOptions, 'database' | 'posture'>) {
  return { url: DEFAULT_DATABASE_URL, ...database, posture };
}

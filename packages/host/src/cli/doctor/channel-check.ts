import type { Store } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import type { HostOptions } from '../../config/host-config.js';
import { oldestDueAges } from '../../metrics/oldest-due.js';
import { type Finding, ok, warn } from './finding.js';

/** Those that messaging brings along. */
const BUILT_IN = ['inbox', 'log'];

/** Whether due deliveries wait for a channel that a start with this configuration would not mount: nothing else tells of them. */
export async function checkChannels(
  store: Store,
  { channels = [], plugins = [] }: Pick<HostOptions, 'channels' | 'plugins'>,
): Promise<Finding> {
  const [table] = await store.read<{ name: string | null }>(deliveryTable, {});
  const mounted = new Set([...BUILT_IN, ...channels.map(({ id }) => id)]);
  const stuck = [...(table?.name ? await oldestDueAges(store) : [])].filter(([channel]) => !mounted.has(channel));
  if (stuck.length === 0) return ok('channels', `${[...mounted].join(', ')}; no other has due deliveries`);
  const named = stuck.map(([channel, ageMs]) => `${channel} (the oldest for ${Math.floor(ageMs / 1_000)} s)`).join(', ');
  const exception = plugins.length > 0 ? ', unless a plugin or another process does' : ', unless another process does';
  return warn('channels', `deliveries are due on channels that this configuration does not mount: ${named}; nobody sends them${exception}`);
}

const deliveryTable = defineStatement({
  label: 'doctor.delivery_table',
  operation: 'select',
  table: 'notification_delivery',
  sql: {
    sqlite: `SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'notification_delivery'`,
    postgres: `SELECT to_regclass('notification_delivery')::text AS name`,
  },
});

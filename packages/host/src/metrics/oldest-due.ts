import type { SqlFamily, Store } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';

/**
 * The due time of the delivery that has waited longest, of those that this node can serve: one seek per channel in each of the partial
 * indexes that claims use. Params: `now`, `channels` (JSON texts).
 */
const oldestDue = defineStatement({
  label: 'host.oldest_due',
  operation: 'select',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `SELECT MIN(single) AS single, MIN(digest) AS digest FROM (
      SELECT ${earliest('digest_key IS NULL')} AS single, ${earliest('digest_key IS NOT NULL')} AS digest FROM ${channelRows(family)}) AS per_channel`,
  ),
});

function earliest(which: string): string {
  return `(SELECT due_at FROM notification_delivery
    WHERE status = 'pending' AND ${which} AND channel = c.value AND due_at <= :now ORDER BY due_at LIMIT 1)`;
}

function channelRows(family: SqlFamily): string {
  return family === 'postgres' ? 'json_array_elements_text(:channels::json) AS c(value)' : 'json_each(:channels) AS c';
}

/** Milliseconds that the oldest due delivery has waited; 0 when nothing is due. One statement. */
export async function oldestDueAgeMs(store: Store, channels: readonly string[]): Promise<number> {
  const now = store.clock.now();
  const params = { now, channels: JSON.stringify(channels) };
  const [row] = await store.read<{ single: number | null; digest: number | null }>(oldestDue, params);
  const due = [row?.single, row?.digest].filter((at) => at !== null && at !== undefined).map(Number);
  return due.length === 0 ? 0 : Math.max(0, now - Math.min(...due));
}

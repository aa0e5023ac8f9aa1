import type { Store } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';

/**
 * Each channel that has pending deliveries, mounted or not, with the due time of the one that has waited longest, null when none is due: hops along the partial indexes
 * that claims use, one seek per channel that has pending rows and one for its earliest, whatever the backlog. Param: `now`.
 */
export const oldestDue = defineStatement({
  label: 'host.oldest_due',
  operation: 'select',
  table: 'notification_delivery',
  sql: `WITH RECURSIVE ${hop('single', 'digest_key IS NULL')}, ${hop('digest', 'digest_key IS NOT NULL')}
    SELECT channel, MIN(due_at) AS due_at FROM (${earliest('single', 'digest_key IS NULL')} UNION ALL ${earliest('digest', 'digest_key IS NOT NULL')}) AS per_index
    GROUP BY channel ORDER BY channel`,
});

function hop(name: string, which: string): string {
  const next = (after: string) =>
    `(SELECT channel FROM notification_delivery WHERE status = 'pending' AND ${which} AND channel ${after} ORDER BY channel LIMIT 1)`;
  return `${name}(channel) AS (SELECT ${next(`>= ''`)} UNION ALL SELECT ${next(`> ${name}.channel`)} FROM ${name} WHERE ${name}.channel IS NOT NULL)`;
}

function earliest(name: string, which: string): string {
  return `SELECT ${name}.channel, (SELECT d.due_at FROM notification_delivery AS d
      WHERE d.status = 'pending' AND d.${which} AND d.channel = ${name}.channel AND d.due_at <= :now ORDER BY d.due_at LIMIT 1) AS due_at
    FROM ${name} WHERE ${name}.channel IS NOT NULL`;
}

/** Milliseconds that the oldest due delivery of each channel has waited. A channel with nothing due is not among them. One statement. */
export async function oldestDueAges(store: Store): Promise<Map<string, number>> {
  const now = store.clock.now();
  const rows = await store.read<{ channel: string; due_at: number | null }>(oldestDue, { now });
  const due = rows.filter(({ due_at }) => due_at !== null);
  return new Map(due.map(({ channel, due_at }) => [channel, Math.max(0, now - Number(due_at))]));
}

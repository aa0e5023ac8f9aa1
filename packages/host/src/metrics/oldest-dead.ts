import type { Store } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';

/**
 * When the dead job that has been dead for longest died: one seek, however many there are. The state is a range: told that it is `dead`, Postgres takes
 * the index of dead jobs by organization, and sorts all of it.
 */
export const oldestDead = defineStatement({
  label: 'host.oldest_dead',
  operation: 'select',
  table: 'queue_job',
  sql: `SELECT finished_at FROM queue_job WHERE status >= 'dead' AND status <= 'dead' AND finished_at IS NOT NULL AND idempotency_token IS NULL
    ORDER BY status, finished_at LIMIT 1`,
});

/** Milliseconds since the oldest dead job of any queue died; 0 when there is none. One statement. */
export async function oldestDeadAge(store: Store): Promise<number> {
  const [row] = await store.read<{ finished_at: number }>(oldestDead, {});
  return row ? Math.max(0, store.clock.now() - Number(row.finished_at)) : 0;
}

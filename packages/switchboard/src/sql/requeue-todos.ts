import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { DISPOSITION } from './settle-todos.js';
import { MOVED_COLUMNS, NOBODY_HOLDS, PENDING_ANEW, SWEPT_TODOS, todoColumns } from './todo-columns.js';

// The ways back to pending that no consumer takes: a lapsed lease, a due retry, a retry by hand. Several processes may do the first two at once.

/** The first rows of an index, those that somebody else moves passed by. */
function first(family: SqlFamily, where: string, order: string): string {
  const rows = (row: string, tail = '') =>
    `SELECT ${row} FROM board_todo WHERE ${where} ORDER BY ${order} LIMIT CAST(:limit AS INTEGER)${tail}`;
  return family === 'postgres' ? `id = ANY (ARRAY(${rows('id', ' FOR UPDATE SKIP LOCKED')}))` : `rowid IN (${rows('rowid')})`;
}

/** Lapsed leases: pending again, or dead letters where no attempt is left. Params: `now`, `moved` (with `SWEPT_PREFIX`), `lapsed` (the result of a dead letter, JSON text), `limit`. */
export const reapTodos = defineStatement({
  label: 'board.reap',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `
      UPDATE board_todo SET moved_by = :moved, updated_at = :now, claimant = NULL, ${NOBODY_HOLDS},
        state = CASE WHEN attempt < max_attempts THEN 'pending' ELSE 'failed' END,
        pending_since = CASE WHEN attempt < max_attempts THEN CAST(:now AS BIGINT) ELSE pending_since END,
        ring_attempts = CASE WHEN attempt < max_attempts THEN 0 ELSE ring_attempts END,
        last_ringed_at = CASE WHEN attempt < max_attempts THEN NULL ELSE last_ringed_at END,
        completed_at = CASE WHEN attempt < max_attempts THEN NULL ELSE CAST(:now AS BIGINT) END,
        result = CASE WHEN attempt < max_attempts THEN result ELSE CAST(:lapsed AS TEXT) END,
        live_key = CASE WHEN attempt < max_attempts THEN live_key END
      WHERE ${first(family, `state = 'claimed' AND lease_until <= :now`, 'lease_until, id')} RETURNING ${MOVED_COLUMNS}`,
  ),
});

/** Closes the attempts of what {@link reapTodos} moved. Params: `now`, `moved`. */
export const closeReapedAttempts = defineStatement({
  label: 'board.closeReapedAttempts',
  operation: 'update',
  table: 'board_attempt',
  sql: `UPDATE board_attempt SET ended_at = :now, outcome = 'reaped', disposition = ${DISPOSITION}
    WHERE ended_at IS NULL AND todo_id IN (${SWEPT_TODOS})`,
});

/** Whether a lease has lapsed, as a value. @param now an expression. */
export const lapsedLease = (now: string) =>
  `CASE WHEN (SELECT lease_until FROM board_todo WHERE state = 'claimed' ORDER BY lease_until, id LIMIT 1) <= ${now} THEN 1 ELSE 0 END`;

/** Params: `now`, `moved`, `limit`. */
export const requeueDueTodos = defineStatement({
  label: 'board.requeueDue',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `
      UPDATE board_todo SET state = 'pending', ${PENDING_ANEW}, next_retry_at = NULL, claimant = NULL, moved_by = :moved, updated_at = :now
      WHERE ${first(family, `state = 'failed' AND next_retry_at IS NOT NULL AND next_retry_at <= :now`, 'next_retry_at, id')}
      RETURNING ${MOVED_COLUMNS}`,
  ),
});

/** Whether a retry is due, as a value. @param now an expression. */
export const dueRetry = (now: string) =>
  `CASE WHEN (SELECT next_retry_at FROM board_todo WHERE state = 'failed' AND next_retry_at IS NOT NULL ORDER BY next_retry_at, id LIMIT 1) <= ${now} THEN 1 ELSE 0 END`;

const AGAIN = `state = 'pending', attempt = 0, ${PENDING_ANEW}, next_retry_at = NULL, result = NULL, claimant = NULL, claimed_at = NULL,
  completed_at = NULL, moved_by = :moved, updated_at = :now`;
/** An endpoint that was seen to be active stays so until the todo is pending: a revocation then ends it with the others. */
const failed = (family: SqlFamily) =>
  `state = 'failed' AND EXISTS (SELECT 1 FROM board_endpoint AS e WHERE e.id = board_todo.endpoint_id AND e.state = 'active'${family === 'postgres' ? ' FOR SHARE' : ''})`;

/**
 * By hand, with all attempts before it. A dead letter gave up its idempotency key, and does not take it back: a newer todo may have it.
 * Params: `id`, `endpointId`, `queues`, `moved`, `now`.
 */
export const retryTodo = defineStatement({
  label: 'board.retry',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) =>
      `UPDATE board_todo SET ${AGAIN} WHERE id = :id AND endpoint_id = :endpointId AND ${inJsonTexts(family, 'queue', ':queues')} AND ${failed(family)} RETURNING ${todoColumns()}`,
  ),
});

/** The same for an operator. Params: `id`, `organizationId`, `moved`, `now`. */
export const retryTodoOf = defineStatement({
  label: 'board.retryOf',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) =>
      `UPDATE board_todo SET ${AGAIN} WHERE id = :id AND organization_id = :organizationId AND queue <> 'quarantine' AND ${failed(family)} RETURNING ${todoColumns()}`,
  ),
});

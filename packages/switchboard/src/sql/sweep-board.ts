import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';

// Retention: events and finished todos go when they are old. What is pending, claimed or parked stays, however old; its event may go, and its gate
// verdict stands on the todo.

const FINISHED = `(state = 'done' OR (state = 'failed' AND next_retry_at IS NULL))`;

const oldTodos = `SELECT id FROM board_todo WHERE ${FINISHED} AND updated_at < :before ORDER BY updated_at, id LIMIT CAST(:limit AS INTEGER)`;
const oldEvents = 'SELECT id FROM board_event WHERE created_at < :before ORDER BY created_at, id LIMIT CAST(:limit AS INTEGER)';

const among = (family: SqlFamily, column: string, ids: string) =>
  family === 'postgres' ? `${column} = ANY (ARRAY(${ids}))` : `${column} IN (${ids})`;

/** Before their todos, which are told by the same order. For SQLite, where nobody writes between the two. Params: `before`, `limit`. */
export const sweepAttempts = defineStatement({
  label: 'board.sweepAttempts',
  operation: 'delete',
  table: 'board_attempt',
  sql: bothFamilies((family) => `DELETE FROM board_attempt WHERE ${among(family, 'todo_id', oldTodos)}`),
});

/** Asks again what it picked: on Postgres one may have been retried, and done anew, since. Params: `before`, `limit`. */
export const sweepTodos = defineStatement({
  label: 'board.sweepTodos',
  operation: 'delete',
  table: 'board_todo',
  sql: bothFamilies((family) => `DELETE FROM board_todo WHERE ${among(family, 'id', oldTodos)} AND ${FINISHED} AND updated_at < :before`),
});

/** Params: `before`, `limit`. */
export const forgetEvents = defineStatement({
  label: 'board.forgetEvents',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `UPDATE board_todo SET event_id = NULL WHERE event_id IS NOT NULL AND ${among(family, 'event_id', oldEvents)}`,
  ),
});

/**
 * Those that no todo names any more: of two that sweep at once one may have picked further events than it made todos forget. Params: `before`, `limit`.
 */
export const sweepEvents = defineStatement({
  label: 'board.sweepEvents',
  operation: 'delete',
  table: 'board_event',
  sql: bothFamilies(
    (family) =>
      `DELETE FROM board_event WHERE ${among(family, 'id', oldEvents)} AND NOT EXISTS (SELECT 1 FROM board_todo AS t WHERE t.event_id = board_event.id)`,
  ),
});

/** Whether a finished todo is that old, as a value. @param before an expression. */
export const oldTodo = (before: string) =>
  `CASE WHEN (SELECT updated_at FROM board_todo WHERE ${FINISHED} ORDER BY updated_at, id LIMIT 1) < ${before} THEN 1 ELSE 0 END`;

export const oldEvent = (before: string) =>
  `CASE WHEN (SELECT created_at FROM board_event ORDER BY created_at, id LIMIT 1) < ${before} THEN 1 ELSE 0 END`;

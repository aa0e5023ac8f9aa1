import { bothFamilies, defineStatement } from '@bellhop/store';
import { PENDING_ANEW, todoColumns } from './todo-columns.js';

// What waits for a person, and the ways out: released to where it was meant for, discarded, or expired.

const HELD = `queue = 'quarantine' AND state = 'pending'`;
const OF_ORGANIZATION = 'id = :id AND organization_id = :organizationId';

/** An endpoint that was seen to be active stays so until the todo is released to it. Params: `id`, `organizationId`, `moved`, `now`. */
export const releaseQuarantined = defineStatement({
  label: 'board.releaseQuarantined',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (
      family,
    ) => `UPDATE board_todo SET queue = quarantine_queue, endpoint_id = quarantine_endpoint_id, ${PENDING_ANEW}, moved_by = :moved, updated_at = :now
    WHERE ${OF_ORGANIZATION} AND ${HELD} AND quarantine_queue IS NOT NULL
      AND EXISTS (SELECT 1 FROM board_endpoint AS e WHERE e.id = board_todo.quarantine_endpoint_id AND e.state = 'active'${family === 'postgres' ? ' FOR SHARE' : ''})
    RETURNING ${todoColumns()}`,
  ),
});

const ENDED = `state = 'done', completed_at = :now, live_key = NULL, moved_by = :moved, updated_at = :now`;

/** Params: `id`, `organizationId`, `moved`, `now`. */
export const discardQuarantined = defineStatement({
  label: 'board.discardQuarantined',
  operation: 'update',
  table: 'board_todo',
  sql: `UPDATE board_todo SET ${ENDED} WHERE ${OF_ORGANIZATION} AND ${HELD} RETURNING ${todoColumns()}`,
});

/** Asks again what it picked: on Postgres somebody may have released it since. Params: `before`, `now`, `moved`, `limit`. */
export const expireQuarantined = defineStatement({
  label: 'board.expireQuarantined',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies((family) => {
    const old = (row: string) =>
      `SELECT ${row} FROM board_todo WHERE ${HELD} AND created_at < :before ORDER BY created_at, id LIMIT CAST(:limit AS INTEGER)`;
    return `UPDATE board_todo SET ${ENDED} WHERE ${family === 'postgres' ? `id = ANY (ARRAY(${old('id')})) AND ${HELD}` : `rowid IN (${old('rowid')})`}`;
  }),
});

/** Whether something waits in quarantine since before then, as a value. */
export const oldQuarantined = (before: string) =>
  `CASE WHEN (SELECT created_at FROM board_todo WHERE ${HELD} ORDER BY created_at, id LIMIT 1) < ${before} THEN 1 ELSE 0 END`;

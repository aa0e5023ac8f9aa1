import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
import { wakeSql } from './wake-sql.js';

// Whom a wake goes to and which todo it names, at the time of asking. Both in one statement: a todo and a hook that were never there together
// would be told of one another.

/** What one attempt needs. */
export interface DeliveryRecord {
  readonly slug: string;
  readonly todo_id: string;
  readonly kind: string | null;
  readonly source: string;
  readonly title: string;
  readonly attempt: number;
  readonly url: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
}

const QUEUE = 'CAST(:queue AS TEXT)';

/**
 * FROM and WHERE over `e` (the live endpoint), `h` (its hooks that cover the queue) and `t`: the todo asked for while it waits, for whomever it may
 * be, else the one that waits longest in the same queue for anybody. No row where one of the three is missing.
 */
function deliverable(family: SqlFamily): string {
  const wake = wakeSql(family);
  const waits = (todo: string) =>
    `${todo}.endpoint_id = :endpointId AND ${todo}.queue = ${QUEUE} AND ${wake.gatePassing(todo)} AND ${todo}.state = 'pending'`;
  return `
    FROM board_endpoint AS e
    JOIN board_notify_hook AS h ON h.endpoint_id = e.id AND ${wake.hookCovers('h', QUEUE)}
    JOIN board_todo AS t ON t.id = COALESCE(
      (SELECT n.id FROM board_todo AS n WHERE n.id = :todoId AND ${waits('n')}),
      (SELECT o.id FROM board_todo AS o WHERE ${waits('o')} AND o.assignee IS NULL ORDER BY o.pending_since, o.id LIMIT 1))
    WHERE e.id = :endpointId AND ${wake.endpointLive('e', ':now')} AND ${wake.inScope('e', QUEUE)}`;
}

/** The hooks to be told, oldest first; none where there is nothing to tell them. Params: `todoId`, `endpointId`, `queue`, `now`. */
export const findWakeHooks = defineStatement({
  label: 'board.findWakeHooks',
  operation: 'select',
  table: 'board_notify_hook',
  sql: bothFamilies((family) => `SELECT h.id ${deliverable(family)} ORDER BY h.created_at, h.id`),
});

/** What one hook is told now; none when it is to be told nothing any more. Params: as {@link findWakeHooks}, and `hookId`. */
export const readDelivery = defineStatement({
  label: 'board.readDelivery',
  operation: 'select',
  table: 'board_notify_hook',
  sql: bothFamilies(
    (family) => `
      SELECT e.slug, t.id AS todo_id, t.kind, t.source, t.title, t.attempt, h.url, h.secret, h.previous_secret, h.previous_until
      ${deliverable(family)} AND h.id = :hookId`,
  ),
});

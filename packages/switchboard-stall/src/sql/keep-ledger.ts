import type { SqlFamily, Statement } from '@bellhop/contracts';
import { bothFamilies, defineStatement, jsonRows } from '@bellhop/store';
import { FORGET_AFTER_MS } from '../pace.js';
import { PAIR_COLUMNS } from './charge-pairs.js';
import { NOW, oldestTodo, openClaim, type WakeSqlOf } from './pair-conditions.js';

// Housekeeping of the ledger. The read found these pairs; each statement asks again. On Postgres they pass over rows that somebody else has locked:
// the next sweep finds them again, and nobody waits in a circle.

const PAIR = { endpoint: 'l.endpoint_id', queue: 'l.queue' };

/** The rows of given pairs that meet a condition. */
function rows(family: SqlFamily, condition: string): string {
  const find = (
    row: string,
  ) => `SELECT l.${row} FROM ${jsonRows(family, ':pairs', 'c', PAIR_COLUMNS)} ${family === 'postgres' ? '' : 'CROSS '}JOIN
    queue_stall_nudges AS l ON l.endpoint_id = c.endpoint_id AND l.queue = c.queue WHERE ${condition}`;
  return family === 'postgres'
    ? `ctid = ANY (ARRAY(${find('ctid')} ORDER BY l.endpoint_id, l.queue FOR UPDATE OF l SKIP LOCKED))`
    : `rowid IN (${find('rowid')})`;
}

/** Pairs that have nothing to claim, and of which nobody holds anything that may be given back. Params: `now`, `pairs`. */
export function markQuiet(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.quiet',
    operation: 'update',
    table: 'queue_stall_nudges',
    sql: bothFamilies((family) => {
      const quiet = `l.quiet_since IS NULL AND (${oldestTodo(family, wakeSql, PAIR)}) IS NULL AND (${openClaim(family, PAIR)}) IS NULL`;
      return `UPDATE queue_stall_nudges SET quiet_since = ${NOW} WHERE ${rows(family, quiet)}`;
    }),
  });
}

/** Pairs that have something to claim again before they were forgotten: they begin anew, but for the wait. Params: `pairs`. */
export function awake(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.awake',
    operation: 'update',
    table: 'queue_stall_nudges',
    sql: bothFamilies((family) => {
      const filled = `l.quiet_since IS NOT NULL AND (${oldestTodo(family, wakeSql, PAIR)}) IS NOT NULL`;
      return `UPDATE queue_stall_nudges SET nudges = 0, quiet_since = NULL WHERE ${rows(family, filled)}`;
    }),
  });
}

/** Pairs that have been quiet for long are forgotten. Params: `now`, `pairs`. */
export function forget(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.forget',
    operation: 'delete',
    table: 'queue_stall_nudges',
    sql: bothFamilies((family) => {
      const over = `l.quiet_since <= ${NOW} - ${FORGET_AFTER_MS} AND (${oldestTodo(family, wakeSql, PAIR)}) IS NULL`;
      return `DELETE FROM queue_stall_nudges WHERE ${rows(family, over)}`;
    }),
  });
}

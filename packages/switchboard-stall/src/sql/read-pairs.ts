import type { SqlFamily, Statement } from '@bellhop/contracts';
import { bothFamilies, defineStatement, joinLookUp, type LookUp } from '@bellhop/store';
import {
  anyTodo,
  claimable,
  doorOpened,
  indexedBy,
  isOld,
  liveClaim,
  oldestTodo,
  openClaim,
  progressSince,
  SINCE,
  type WakeSqlOf,
} from './pair-conditions.js';

// The sweep's one read. Pairs are found by hops along the index of claimable todos, one seek or two for each, never through the todos of one: 10^6
// todos of one queue cost what one does. A database in this process gives a row for each of them, due or not, so that it is never long at work
// between two rows; a server keeps to itself those that nobody can be told of.

export interface PairRow {
  readonly endpoint_id: string;
  readonly queue: string;
  /** Since when the oldest todo is pending that a wake could name. */
  readonly oldest: number | null;
  /** The facts are looked up where they matter: deliverable and live of a todo that is old enough, those after it of a pair in the ledger, too. */
  readonly deliverable: number;
  readonly live_claim_at: number | null;
  readonly progress_at: number | null;
  readonly door_opened_at: number | null;
  readonly nudges: number | null;
  readonly last_nudged_at: number | null;
  readonly quiet_since: number | null;
  /** 1: it has nothing to be claimed, but a claim is open, which may give its todo back. */
  readonly held: number;
}

/** What the board's conditions read of an endpoint. */
const ENDPOINT: LookUp = {
  table: 'board_endpoint',
  as: 'e',
  columns: ['id', 'state', 'expires_at', 'queues'],
  where: 'e.id = p.endpoint_id',
};

/** Params: `now`. */
export function readPairs(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.read',
    operation: 'select',
    table: 'board_todo',
    sql: bothFamilies((family) => `WITH RECURSIVE ${pairs(family)} ${withTodos(family, wakeSql)} UNION ALL ${withoutTodos(family)}`),
  });
}

function pairs(family: SqlFamily): string {
  const from = `FROM board_todo AS t ${indexedBy(family, 'board_todo_pending')} WHERE ${claimable('t')}`;
  const inOrder = 'ORDER BY t.endpoint_id, t.queue LIMIT 1';
  const next =
    family === 'postgres'
      ? `CROSS JOIN LATERAL (
          SELECT t.endpoint_id, t.queue ${from} AND (t.endpoint_id, t.queue) > (p.endpoint_id, p.queue) ${inOrder}) AS n`
      : `CROSS JOIN board_todo AS n ON n.rowid = COALESCE(
          (SELECT t.rowid ${from} AND t.endpoint_id = p.endpoint_id AND t.queue > p.queue ORDER BY t.queue LIMIT 1),
          (SELECT t.rowid ${from} AND t.endpoint_id > p.endpoint_id ${inOrder}))`;
  return `pair(endpoint_id, queue) AS (
    SELECT * FROM (SELECT t.endpoint_id, t.queue ${from} ${inOrder}) AS f
    UNION ALL SELECT n.endpoint_id, n.queue FROM pair AS p ${next})`;
}

function withTodos(family: SqlFamily, wakeSql: WakeSqlOf): string {
  const pair = { endpoint: 'p.endpoint_id', queue: 'p.queue' };
  const old = isOld(`o.${SINCE}`);
  const again = `${old} AND l.queue IS NOT NULL`;
  // Joined, not selected: a subquery that others refer to may be run for each of them.
  const oldest =
    family === 'postgres'
      ? `LEFT JOIN LATERAL (${oldestTodo(family, wakeSql, pair)}) AS o(${SINCE}) ON true`
      : `LEFT JOIN board_todo AS o ON o.rowid = (${oldestTodo(family, wakeSql, pair, 't.rowid')})`;
  const facts = `
    SELECT p.endpoint_id, p.queue, o.${SINCE} AS oldest,
      CASE WHEN ${old} THEN CASE WHEN ${wakeSql(family).deliverable('e', 'p.queue', 'CAST(:now AS BIGINT)')} THEN 1 ELSE 0 END ELSE 0 END AS deliverable,
      CASE WHEN ${old} THEN (${liveClaim(family, pair)}) END AS live_claim_at,
      CASE WHEN ${again} THEN (${progressSince(family, pair, 'l.last_nudged_at')}) END AS progress_at,
      CASE WHEN ${again} THEN (${doorOpened(family, wakeSql, pair)}) END AS door_opened_at,
      l.nudges, l.last_nudged_at, l.quiet_since,
      CASE WHEN o.${SINCE} IS NULL AND l.queue IS NOT NULL AND (${openClaim(family, pair)}) IS NOT NULL THEN 1 ELSE 0 END AS held
    FROM pair AS p ${joinLookUp(family, ENDPOINT)}
      LEFT JOIN queue_stall_nudges AS l ON l.endpoint_id = p.endpoint_id AND l.queue = p.queue ${oldest}`;
  return family === 'postgres' ? `SELECT * FROM (${facts}) AS f WHERE nudges IS NOT NULL OR deliverable = 1` : facts;
}

/** Pairs of the ledger that have nothing pending at all. */
function withoutTodos(family: SqlFamily): string {
  const pair = { endpoint: 'l.endpoint_id', queue: 'l.queue' };
  const none = 'CAST(NULL AS BIGINT)';
  return `
    SELECT l.endpoint_id, l.queue, ${none}, 0, ${none}, ${none}, ${none}, l.nudges, l.last_nudged_at, l.quiet_since,
      CASE WHEN (${openClaim(family, pair)}) IS NOT NULL THEN 1 ELSE 0 END
    FROM queue_stall_nudges AS l WHERE (${anyTodo(family, pair)}) IS NULL`;
}

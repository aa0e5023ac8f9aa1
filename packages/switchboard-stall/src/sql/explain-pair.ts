import type { Statement } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
import { anyTodo, doorOpened, liveClaim, NOW, notGivenBack, oldestTodo, progressSince, type WakeSqlOf } from './pair-conditions.js';

/** Everything that says why a queue is quiet. A condition is 1 or 0. */
export interface ExplainedRow {
  readonly endpoint_id: string;
  readonly state: string;
  readonly expires_at: number | null;
  readonly live: number;
  /** The endpoint's scope: a JSON list. */
  readonly queues: string;
  readonly in_scope: number;
  readonly oldest: number | null;
  /** Something is pending that anybody may claim, whether it passes the gate or not. */
  readonly claimable: number;
  /** Nothing is, but there is something for one claimant alone. */
  readonly assigned: number;
  readonly hooks: number;
  readonly enabled_hooks: number;
  readonly covered: number;
  /** Of those that were not merely given back. */
  readonly newest_claim_at: number | null;
  readonly live_claim_at: number | null;
  readonly progress_at: number | null;
  readonly door_opened_at: number | null;
  readonly nudges: number | null;
  readonly last_nudged_at: number | null;
  readonly quiet_since: number | null;
}

/** Params: `endpoint` (id or slug), `queue`, `organizationId`, `now`. No row: there is no such endpoint. */
export function explainPair(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.explain',
    operation: 'select',
    table: 'board_endpoint',
    sql: bothFamilies((family) => {
      const wake = wakeSql(family);
      const pair = { endpoint: 'e.id', queue: 'CAST(:queue AS TEXT)' };
      const flag = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
      const hooks = (and: string) => `SELECT COUNT(*) FROM board_notify_hook AS k WHERE k.endpoint_id = e.id ${and}`;
      const assigned = `SELECT 1 FROM board_todo AS t WHERE t.state = 'pending' AND t.endpoint_id = e.id AND t.queue = ${pair.queue} LIMIT 1`;
      return `
        SELECT e.id AS endpoint_id, e.state, e.expires_at, e.queues, ${flag(wake.endpointLive('e', NOW))} AS live, ${flag(wake.inScope('e', pair.queue))} AS in_scope,
          (${oldestTodo(family, wakeSql, pair)}) AS oldest, ${flag(`(${anyTodo(family, pair)}) IS NOT NULL`)} AS claimable,
          ${flag(`(${anyTodo(family, pair)}) IS NULL AND (${assigned}) IS NOT NULL`)} AS assigned,
          (${hooks('')}) AS hooks, (${hooks('AND k.enabled = 1')}) AS enabled_hooks,
          ${flag(`(${hooks(`AND ${wake.hookCovers('k', pair.queue)}`)}) > 0`)} AS covered,
          (SELECT MAX(a.claimed_at) FROM board_attempt AS a WHERE a.endpoint_id = e.id AND a.queue = ${pair.queue} AND ${notGivenBack('a')}) AS newest_claim_at,
          (${liveClaim(family, pair)}) AS live_claim_at,
          CASE WHEN l.queue IS NOT NULL THEN (${progressSince(family, pair, 'l.last_nudged_at')}) END AS progress_at,
          (${doorOpened(family, wakeSql, pair)}) AS door_opened_at, l.nudges, l.last_nudged_at, l.quiet_since
        FROM board_endpoint AS e LEFT JOIN queue_stall_nudges AS l ON l.endpoint_id = e.id AND l.queue = ${pair.queue}
        WHERE e.organization_id = :organizationId AND (e.id = :endpoint OR e.slug = :endpoint)`;
    }),
  });
}

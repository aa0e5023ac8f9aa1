import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { gatePassing } from '../gate.js';
import { wakeSql } from './wake-sql.js';

// Whom the doorbell rings for. A ring that is charged is charged in the statement that chooses it, so two processes that sweep at once do not
// both spend one.

/** Rings of one todo that are charged, over all sessions, since it became pending. */
export const RINGS_MAX = 5;
/** Milliseconds before each ring: the first since the todo became pending, the others since the ring before. */
export const RING_WAITS_MS = [5 * 60_000, 20 * 60_000, 3_600_000, 6 * 3_600_000, 6 * 3_600_000] as const;
/** Milliseconds between two rings of a todo for those who attach. */
export const ATTACH_COOLDOWN_MS = 60_000;

/** What a ring tells, and what orders rings. */
export interface RingRecord {
  readonly id: string;
  readonly endpoint_id: string;
  readonly queue: string;
  readonly pending_since: number;
}

/** What waits in a pair. `attempts_total`: with the id, which entry into pending it is. */
export interface PendingRecord extends RingRecord {
  readonly attempts_total: number;
}

const COLUMNS = 'id, endpoint_id, queue, pending_since';

/** A todo that anybody may claim. */
const claimable = (todo: string) => `${todo}.state = 'pending' AND ${todo}.assignee IS NULL AND ${gatePassing(todo)}`;

/** Pending todos of a pair that may wake, oldest first. Params: `endpointId`, `queue`, `limit`. */
export const readPending = defineStatement({
  label: 'board.readPending',
  operation: 'select',
  table: 'board_todo',
  sql: `
    SELECT t.id, t.endpoint_id, t.queue, t.pending_since, t.attempts_total FROM board_todo AS t
    WHERE t.endpoint_id = :endpointId AND t.queue = :queue AND ${claimable('t')}
    ORDER BY t.pending_since, t.id LIMIT CAST(:limit AS INTEGER)`,
});

/** What may be rung for one who attaches: not rung for a while, and within the todo's budget. */
function attachDue(family: SqlFamily, todo: string): string {
  return `${claimable(todo)} AND ${todo}.ring_attempts < ${RINGS_MAX} AND ${inJsonTexts(family, `${todo}.queue`, ':queues')}
    AND (${todo}.last_ringed_at IS NULL OR ${todo}.last_ringed_at <= CAST(:now AS BIGINT) - ${ATTACH_COOLDOWN_MS})`;
}

/** When the next ring of a todo is due. */
function dueAt(todo: string): string {
  const [first, ...others] = RING_WAITS_MS;
  const arms = others.map((wait, place) => `WHEN ${place + 1} THEN COALESCE(${todo}.last_ringed_at, ${todo}.pending_since) + ${wait}`);
  return `CASE ${todo}.ring_attempts WHEN 0 THEN ${todo}.pending_since + ${first} ${arms.join(' ')} END`;
}

/** The bound on `pending_since` is what the index is read to: no ring of the heartbeat comes before the first one's wait is over. */
const heartbeatDue = (todo: string) => `${claimable(todo)} AND ${todo}.ring_attempts < ${RINGS_MAX}
  AND ${todo}.pending_since <= CAST(:now AS BIGINT) - ${RING_WAITS_MS[0]} AND ${dueAt(todo)} <= :now`;

/**
 * Charges the rows that a select picks. On Postgres they are picked once, into an array, and those that another process is charging are passed
 * by: two that wait for one another's rows would deadlock.
 *
 * @param still what must still hold of a row that another process has changed meanwhile.
 */
function charge(family: SqlFamily, picked: string, still: string): string {
  const chosen =
    family === 'postgres'
      ? `id = ANY (ARRAY(SELECT k.id FROM board_todo AS k WHERE k.id = ANY (ARRAY(${picked})) FOR UPDATE SKIP LOCKED))`
      : `id IN (${picked})`;
  return `
    UPDATE board_todo SET ring_attempts = ring_attempts + 1, last_ringed_at = :now
    WHERE ${chosen} AND ${still} RETURNING ${COLUMNS}`;
}

/** Rings for one who attached: the oldest of its queues. Params: `endpointId`, `queues` (JSON texts), `now`, `limit`. */
export const chargeAttachRings = defineStatement({
  label: 'board.chargeAttachRings',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies((family) =>
    charge(
      family,
      `SELECT t.id FROM board_endpoint AS e JOIN board_todo AS t ON t.endpoint_id = e.id
       WHERE e.id = :endpointId AND ${wakeSql(family).endpointLive('e', ':now')} AND ${attachDue(family, 't')}
       ORDER BY t.pending_since, t.id LIMIT CAST(:limit AS INTEGER)`,
      attachDue(family, 'board_todo'),
    ),
  ),
});

/**
 * The first rows of each endpoint that are due, `d`: no more than the sweep could ring are read of any one, along the index of what may be rung.
 */
function dueOfEach(family: SqlFamily): string {
  const wake = wakeSql(family);
  const first = (endpoint: string) => `
    SELECT c.id, c.endpoint_id, c.pending_since FROM board_todo AS c
    WHERE c.endpoint_id = ${endpoint} AND ${heartbeatDue('c')} AND ${wake.inScope('e', 'c.queue')}
    ORDER BY c.pending_since, c.id LIMIT CAST(:limit AS INTEGER)`;
  const live = `${inJsonTexts(family, 'e.id', ':endpoints')} AND ${wake.endpointLive('e', ':now')}`;
  return family === 'postgres'
    ? `SELECT c.id, c.endpoint_id, c.pending_since FROM board_endpoint AS e CROSS JOIN LATERAL (${first('e.id')}) AS c WHERE ${live}`
    : `SELECT d.id, d.endpoint_id, d.pending_since FROM board_endpoint AS e
       CROSS JOIN board_todo AS d ON d.id IN (SELECT f.id FROM (${first('e.id')}) AS f) WHERE ${live}`;
}

/** Whether a sweep would ring. Params: `endpoints` (JSON texts), `now`, `limit`. */
export const findDueRing = defineStatement({
  label: 'board.findDueRing',
  operation: 'select',
  table: 'board_todo',
  sql: bothFamilies((family) => `SELECT CASE WHEN EXISTS (${dueOfEach(family)}) THEN 1 ELSE 0 END AS found`),
});

/**
 * The heartbeat's rings. Each endpoint gives its best row before any gives a second. Params: `endpoints` (JSON texts: those with a session here),
 * `now`, `limit`.
 */
export const chargeHeartbeat = defineStatement({
  label: 'board.chargeHeartbeat',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies((family) =>
    charge(
      family,
      `SELECT r.id FROM (
         SELECT s.id, s.pending_since, ROW_NUMBER() OVER (PARTITION BY s.endpoint_id ORDER BY s.pending_since, s.id) AS place
         FROM (${dueOfEach(family)}) AS s) AS r
       ORDER BY r.place, r.pending_since, r.id LIMIT CAST(:limit AS INTEGER)`,
      heartbeatDue('board_todo'),
    ),
  ),
});

/** Those of the endpoints whose credential is accepted. Params: `endpoints` (JSON texts), `now`. */
export const findLiveEndpoints = defineStatement({
  label: 'board.findLiveEndpoints',
  operation: 'select',
  table: 'board_endpoint',
  sql: bothFamilies(
    (family) =>
      `SELECT e.id FROM board_endpoint AS e WHERE ${inJsonTexts(family, 'e.id', ':endpoints')} AND ${wakeSql(family).endpointLive('e', ':now')}`,
  ),
});

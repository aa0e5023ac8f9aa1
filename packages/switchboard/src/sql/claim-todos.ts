import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { todoColumns } from './todo-columns.js';

// Claims. Each is one batch: the todo moves, an attempt whose lease ran out is closed, the new one is opened. The later steps find what the first
// one moved by its `moved` id.

/** Candidates of one queue that a claim on Postgres looks at: so many may be in the hands of others that claim at this instant. */
const PASSED_BY = 32;
const PASSED_BY_OF_OTHERS = 8;
/**
 * How many times as many a try after the first looks at: 256 of those that are anybody's are more than the transactions that a server has under way (100 by default), and than ended
 * since the statement began. Of 80 claims at once from 8 processes, six times over, 235 of 480 found nothing at their first try. Passing by 32 again,
 * 12 of them needed a third; with 64 to 512 none did.
 */
export const TIMES_AGAIN = 8;

/** What a claim writes. Params: `moved`, `claimant`, `fence`, `leaseUntil`, `now`. */
const TAKE = `state = 'claimed', moved_by = :moved, claimant = :claimant, fence_hash = :fence, lease_until = :leaseUntil, next_retry_at = NULL,
  attempt = attempt + 1, attempts_total = attempts_total + 1, claimed_at = :now, updated_at = :now`;

/** A lapsed lease or a due retry, whose attempts are not used up, may be claimed before the reaper comes by. */
const LAPSED = `state = 'claimed' AND lease_until <= :now AND attempt < max_attempts`;
const DUE = `state = 'failed' AND next_retry_at IS NOT NULL AND next_retry_at <= :now AND attempt < max_attempts`;
const FOR_CLAIMANT = '(assignee IS NULL OR assignee = CAST(:claimant AS TEXT))';

const inScope = (family: SqlFamily) => `endpoint_id = :endpointId AND ${inJsonTexts(family, 'queue', ':queues')}`;

/** Params: those of {@link TAKE}, `id`, `endpointId`, `queues`. */
export const claimTodo = defineStatement({
  label: 'board.claim',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `
      UPDATE board_todo SET ${TAKE}
      WHERE id = :id AND ${inScope(family)} AND ${FOR_CLAIMANT} AND (state = 'pending' OR (${LAPSED}) OR (${DUE}))
      RETURNING ${todoColumns()}`,
  ),
});

/** The arms of a choice, each in the order of an index of its own. `assignee` heads each order for Postgres, which takes IS NULL for no equality. */
const ARMS = [
  { where: `state = 'pending' AND assignee IS NULL`, order: 'assignee, created_at, id', passedBy: PASSED_BY },
  { where: `state = 'pending' AND assignee = CAST(:claimant AS TEXT)`, order: 'assignee, created_at, id', passedBy: PASSED_BY_OF_OTHERS },
  { where: `${LAPSED} AND assignee IS NULL`, order: 'assignee, lease_until', passedBy: PASSED_BY_OF_OTHERS },
  { where: `${LAPSED} AND assignee = CAST(:claimant AS TEXT)`, order: 'assignee, lease_until', passedBy: PASSED_BY_OF_OTHERS },
  { where: `${DUE} AND assignee IS NULL`, order: 'assignee, next_retry_at', passedBy: PASSED_BY_OF_OTHERS },
  { where: `${DUE} AND assignee = CAST(:claimant AS TEXT)`, order: 'assignee, next_retry_at', passedBy: PASSED_BY_OF_OTHERS },
] as const;

const OF_QUEUE = 'endpoint_id = :endpointId AND queue = q.queue';

/** SQLite writes one at a time: the first of each arm and queue is nobody else's. */
const PICK_ON_SQLITE = `
  SELECT c.rowid FROM board_todo AS c WHERE c.rowid IN (${ARMS.map(
    ({ where, order }) =>
      `SELECT (SELECT rowid FROM board_todo WHERE ${OF_QUEUE} AND ${where} ORDER BY ${order} LIMIT 1) FROM (SELECT value AS queue FROM json_each(:queues)) AS q`,
  ).join(' UNION ALL ')}) ORDER BY c.created_at, c.id LIMIT 1`;

/** Those that others are claiming are passed by: of any number that claim at once none waits, and no two get the same todo. */
const PICK_ON_POSTGRES = `
  SELECT c.id FROM board_todo AS c WHERE c.id = ANY (ARRAY(
    SELECT p.id FROM json_array_elements_text(:queues::json) AS q(queue) CROSS JOIN LATERAL (${ARMS.map(
      ({ where, order, passedBy }) =>
        `(SELECT id FROM board_todo WHERE ${OF_QUEUE} AND ${where} ORDER BY ${order} LIMIT ${passedBy} * CAST(:times AS INTEGER))`,
    ).join(' UNION ALL ')}) AS p))
    AND (state = 'pending' OR (${LAPSED}) OR (${DUE}))
  ORDER BY c.created_at, c.id LIMIT 1 FOR UPDATE OF c SKIP LOCKED`;

/**
 * The oldest todo that may be claimed. On Postgres it writes nothing, too, where others are claiming all that it looks at. Params: those of
 * {@link TAKE}, `endpointId`, `queues`, `times` (how many times the usual number Postgres looks at: 1, or {@link TIMES_AGAIN}).
 */
export const claimNextTodo = defineStatement({
  label: 'board.claimNext',
  operation: 'update',
  table: 'board_todo',
  sql: {
    sqlite: `UPDATE board_todo SET ${TAKE} WHERE rowid = (${PICK_ON_SQLITE}) RETURNING ${todoColumns()}`,
    postgres: `UPDATE board_todo SET ${TAKE} WHERE id = (${PICK_ON_POSTGRES}) RETURNING ${todoColumns()}`,
  },
});

const queuesAsked = (family: SqlFamily) =>
  family === 'postgres' ? 'json_array_elements_text(:queues::json) AS q(queue)' : '(SELECT value AS queue FROM json_each(:queues)) AS q';

/**
 * Whether there is a todo that may be claimed, in anybody's hands or nobody's. Seeks in the order of each index: an EXISTS may become a join, and
 * what names no order a reading of the table. Params: `claimant`, `now`, `endpointId`, `queues`.
 */
export const findClaimable = defineStatement({
  label: 'board.findClaimable',
  operation: 'select',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `
      SELECT CASE WHEN EXISTS (SELECT 1 FROM ${queuesAsked(family)} WHERE ${ARMS.map(
        ({ where, order }) => `(SELECT 1 FROM board_todo WHERE ${OF_QUEUE} AND ${where} ORDER BY ${order} LIMIT 1) IS NOT NULL`,
      ).join(' OR ')}) THEN 1 ELSE 0 END AS found`,
  ),
});

const MOVED = `SELECT t.id FROM board_todo AS t WHERE t.state = 'claimed' AND t.moved_by = :moved`;

/** Closes the attempt that a claim took over. Params: `moved`, `now`. */
export const closeLapsedAttempt = defineStatement({
  label: 'board.closeLapsedAttempt',
  operation: 'update',
  table: 'board_attempt',
  sql: `UPDATE board_attempt SET ended_at = :now, outcome = 'lease_expired', disposition = 'requeued'
    WHERE todo_id = (${MOVED}) AND ended_at IS NULL`,
});

/** Params: `moved`. */
export const openAttempt = defineStatement({
  label: 'board.openAttempt',
  operation: 'insert',
  table: 'board_attempt',
  sql: `INSERT INTO board_attempt (todo_id, seq, organization_id, endpoint_id, queue, claimant, claimed_at, lease_until)
    SELECT t.id, t.attempts_total, t.organization_id, t.endpoint_id, t.queue, t.claimant, t.claimed_at, t.lease_until
    FROM board_todo AS t WHERE t.state = 'claimed' AND t.moved_by = :moved`,
});

/** Attempts of a todo that are kept: the newest. */
export const ATTEMPTS_KEPT = 50;

/** Params: `id`, `upTo` (the newest that goes). */
export const dropOldAttempts = defineStatement({
  label: 'board.dropOldAttempts',
  operation: 'delete',
  table: 'board_attempt',
  sql: 'DELETE FROM board_attempt WHERE todo_id = :id AND seq <= :upTo AND ended_at IS NOT NULL',
});

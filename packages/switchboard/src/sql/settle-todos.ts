import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { retryWaitSql } from '../retry-schedule.js';
import { NOBODY_HOLDS, PENDING_ANEW, todoColumns } from './todo-columns.js';

// What the holder of a claim does with it. Each is a compare-and-set on the claim, and one batch with the end of its attempt: a lease that ran out,
// a wrong lease token, or somebody else's claim writes nothing.

/**
 * The claim is still held, by whoever has this lease token. Params: `id`, `endpointId`, `queues`, `fence` (its hash, or null), `now`.
 */
const held = (family: 'sqlite' | 'postgres') =>
  `id = :id AND endpoint_id = :endpointId AND ${inJsonTexts(family, 'queue', ':queues')} AND state = 'claimed' AND lease_until > :now
   AND COALESCE(fence_hash, '') = COALESCE(CAST(:fence AS TEXT), '')`;

const settle = (label: string, set: string) =>
  defineStatement({
    label,
    operation: 'update',
    table: 'board_todo',
    sql: bothFamilies(
      (family) => `UPDATE board_todo SET ${set}, moved_by = :moved, updated_at = :now WHERE ${held(family)} RETURNING ${todoColumns()}`,
    ),
  });

/** Params: those of {@link held}, `moved`, `leaseUntil`. */
export const extendTodo = settle('board.heartbeat', 'lease_until = :leaseUntil');

/** Params: those of {@link held}, `moved`, `result`. */
export const completeTodo = settle(
  'board.complete',
  `state = 'done', result = :result, completed_at = :now, live_key = NULL, ${NOBODY_HOLDS}`,
);

/** Parked while attempts are left, a dead letter after the last. Params: those of {@link held}, `moved`, `result`. */
export const failTodo = settle(
  'board.fail',
  `state = 'failed', result = :result, ${NOBODY_HOLDS},
   next_retry_at = CASE WHEN attempt < max_attempts THEN CAST(:now AS BIGINT) + ${retryWaitSql('attempt')} END,
   completed_at = CASE WHEN attempt < max_attempts THEN NULL ELSE CAST(:now AS BIGINT) END,
   live_key = CASE WHEN attempt < max_attempts THEN live_key END`,
);

/** Params: those of {@link held}, `moved`. */
export const releaseTodo = settle('board.release', `state = 'pending', ${PENDING_ANEW}, claimant = NULL, ${NOBODY_HOLDS}`);

const MOVED = 'EXISTS (SELECT 1 FROM board_todo AS t WHERE t.id = :id AND t.moved_by = :moved)';

/** Params: `id`, `moved`, `leaseUntil`, `now`. */
export const extendAttempt = defineStatement({
  label: 'board.extendAttempt',
  operation: 'update',
  table: 'board_attempt',
  sql: `UPDATE board_attempt SET heartbeat_at = :now, lease_until = :leaseUntil WHERE todo_id = :id AND ended_at IS NULL AND ${MOVED}`,
});

/** What became of a todo, as its attempt keeps it. */
export const DISPOSITION = `(SELECT CASE WHEN t.state = 'done' THEN 'done' WHEN t.state = 'pending' THEN 'requeued'
  WHEN t.next_retry_at IS NULL THEN 'dead_lettered' ELSE 'retry_scheduled' END FROM board_todo AS t WHERE t.id = board_attempt.todo_id)`;

/** Params: `id`, `moved`, `outcome`, `summary`, `now`. */
export const closeAttempt = defineStatement({
  label: 'board.closeAttempt',
  operation: 'update',
  table: 'board_attempt',
  sql: `UPDATE board_attempt SET ended_at = :now, outcome = :outcome, summary = :summary, disposition = ${DISPOSITION}
    WHERE todo_id = :id AND ended_at IS NULL AND ${MOVED}`,
});

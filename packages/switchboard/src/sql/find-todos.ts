import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { listedTodoColumns, todoColumns } from './todo-columns.js';

/** Params: `id`, `endpointId`, `queues`. */
export const getTodo = defineStatement({
  label: 'board.get',
  operation: 'select',
  table: 'board_todo',
  sql: bothFamilies(
    (family) =>
      `SELECT ${todoColumns()} FROM board_todo WHERE id = :id AND endpoint_id = :endpointId AND ${inJsonTexts(family, 'queue', ':queues')}`,
  ),
});

/** Params: `id`, `organizationId`. */
export const getTodoOf = defineStatement({
  label: 'board.getOf',
  operation: 'select',
  table: 'board_todo',
  sql: `SELECT ${todoColumns()} FROM board_todo WHERE id = :id AND organization_id = :organizationId`,
});

/** Params: `id`, `limit`, `closed` (1: without the open one). */
export const findAttempts = defineStatement({
  label: 'board.attempts',
  operation: 'select',
  table: 'board_attempt',
  sql: `SELECT seq, claimant, claimed_at, heartbeat_at, lease_until, ended_at, outcome, disposition, summary FROM board_attempt
    WHERE todo_id = :id AND (CAST(:closed AS INTEGER) = 0 OR ended_at IS NOT NULL) ORDER BY seq DESC LIMIT CAST(:limit AS INTEGER)`,
});

const PAGE = `AND (CAST(:state AS TEXT) IS NULL OR state = CAST(:state AS TEXT))
  AND (CAST(:afterTime AS BIGINT) IS NULL OR (created_at, id) < (CAST(:afterTime AS BIGINT), CAST(:afterId AS TEXT)))
  ORDER BY created_at DESC, id DESC LIMIT CAST(:limit AS INTEGER)`;

/** Newest first, without what is long. Params: `endpointId`, `queues`, `state`, `afterTime`, `afterId`, `limit`. */
export const listTodos = defineStatement({
  label: 'board.list',
  operation: 'select',
  table: 'board_todo',
  sql: bothFamilies(
    (family) =>
      `SELECT ${listedTodoColumns()} FROM board_todo WHERE endpoint_id = :endpointId AND ${inJsonTexts(family, 'queue', ':queues')} ${PAGE}`,
  ),
});

/** The same for an operator. Params: `organizationId`, `endpointId` and `queue` (null: any), `state`, `afterTime`, `afterId`, `limit`. */
export const listTodosOf = defineStatement({
  label: 'board.listOf',
  operation: 'select',
  table: 'board_todo',
  sql: `SELECT ${listedTodoColumns()} FROM board_todo WHERE organization_id = :organizationId
    AND (CAST(:endpointId AS TEXT) IS NULL OR endpoint_id = CAST(:endpointId AS TEXT))
    AND (CAST(:queue AS TEXT) IS NULL OR queue = CAST(:queue AS TEXT)) ${PAGE}`,
});

/** What is alive, and dead letters, by queue name. */
export const countTodos = defineStatement({
  label: 'board.counts',
  operation: 'select',
  table: 'board_todo',
  sql: `SELECT queue, SUM(CASE WHEN state = 'pending' THEN 1 ELSE 0 END) AS pending, SUM(CASE WHEN state = 'claimed' THEN 1 ELSE 0 END) AS claimed,
      SUM(CASE WHEN state = 'failed' AND next_retry_at IS NOT NULL THEN 1 ELSE 0 END) AS parked,
      SUM(CASE WHEN state = 'failed' AND next_retry_at IS NULL THEN 1 ELSE 0 END) AS dead,
      MIN(CASE WHEN state = 'pending' THEN pending_since END) AS oldest_pending
    FROM board_todo WHERE state <> 'done' GROUP BY queue ORDER BY queue`,
});

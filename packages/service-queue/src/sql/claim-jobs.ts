import { defineStatement } from '@bellhop/store';
import { LOCKED_ON_POSTGRES, ON_POSTGRES } from './claim-on-postgres.js';
import { MANY_ON_SQLITE, ONE_ON_SQLITE } from './claim-on-sqlite.js';

// Statements that claim. Common params: `now`, `workerId`, `token`, `lockedUntil`, `arms` (JSON rows of arm, queue, after, upTo, start, wanted).

/**
 * Claims of one queue. Params besides: the only arm's `queue`, `after`, `upTo`, `start`, `wanted`. On Postgres as `claimJobs`.
 */
export const claimQueue = defineStatement({
  label: 'queue.claim',
  operation: 'update',
  table: 'queue_job',
  sql: { sqlite: ONE_ON_SQLITE, postgres: ON_POSTGRES },
});

/**
 * Claims of several queues. On Postgres it leaves out queues that have jobs of limited groups, and returns such a queue's `arm` as `left_out`, with
 * nothing else in the row.
 */
export const claimJobs = defineStatement({
  label: 'queue.claim',
  operation: 'update',
  table: 'queue_job',
  sql: { sqlite: MANY_ON_SQLITE, postgres: ON_POSTGRES },
});

/** As `claimJobs`, for queues with limited groups on Postgres. Only in a transaction that began with `lockQueues`. */
export const claimCappedJobs = defineStatement({
  label: 'queue.claimCapped',
  operation: 'update',
  table: 'queue_job',
  sql: { sqlite: MANY_ON_SQLITE, postgres: LOCKED_ON_POSTGRES },
});

/**
 * Waits until nobody else claims of the queues' limited groups. A statement of its own, first in its transaction: the next one then sees what the
 * one that held the lock has taken. In one order, so that two never wait for each other. Params: `queues` (JSON texts).
 */
export const lockQueues = defineStatement({
  label: 'queue.lock',
  operation: 'select',
  table: 'queue_job',
  sql: {
    sqlite: 'SELECT 1',
    postgres: `SELECT COUNT(pg_advisory_xact_lock(key)) AS locks FROM (
      SELECT DISTINCT hashtextextended('bellhop queue ' || queue, 0) AS key FROM json_array_elements_text(:queues::json) AS q(queue) ORDER BY key) AS k`,
  },
});

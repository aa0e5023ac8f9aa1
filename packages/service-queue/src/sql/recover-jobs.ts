import { JOB_LEASE_EXPIRED, type SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
import { FREE } from './settle-jobs.js';
import { someRows } from './some-rows.js';

// Statements that nobody's claim is behind: time alone makes them due. Each takes a bounded number of rows, over all queues.

/** The rows of a range, oldest first. On Postgres past rows that somebody else is at: two that recover at once share the work. */
const oldest = (family: SqlFamily, status: string, time: string) =>
  someRows(
    family,
    'id',
    (row) => `SELECT ${row} FROM queue_job
      WHERE status = '${status}' AND ${time} <= :now ORDER BY ${time} LIMIT CAST(:limit AS INTEGER) ${family === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : ''}`,
  );

/** Makes due jobs claimable. Plan: a range of the due index. Params: `now`, `limit`. */
export const promoteJobs = defineStatement({
  label: 'queue.promote',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `UPDATE queue_job SET status = 'pending', updated_at = :now WHERE ${oldest(family, 'scheduled', 'due_at')}`,
  ),
});

/**
 * Returns expired leases to pending, the attempt counted; those at their limit die, and give their idempotency key back.
 * Plan: a range of the expiry index. Params: `now`, `limit`.
 */
export const reclaimJobs = defineStatement({
  label: 'queue.reclaim',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      UPDATE queue_job SET
        status = CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'pending' END,
        finished_at = CASE WHEN attempts >= max_attempts THEN CAST(:now AS BIGINT) END,
        idempotency_token = CASE WHEN attempts >= max_attempts THEN NULL ELSE idempotency_token END,
        last_error = '${JOB_LEASE_EXPIRED}', updated_at = :now, ${FREE}
      WHERE ${oldest(family, 'running', 'locked_until')}`,
  ),
});

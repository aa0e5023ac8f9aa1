import { bothFamilies, defineStatement } from '@bellhop/store';
import { HOLDING } from './count-jobs.js';
import { SETTLED } from './find-jobs.js';
import { someRows } from './some-rows.js';

// Retention. A completed job whose idempotency key holds is not among those that may go, in an index of its own: else each sweep would walk over all
// of them, a day's worth where jobs are kept for an hour. So keys that are over are taken first.

/** Params: `now`, `limit`. */
export const freeExpiredKeys = defineStatement({
  label: 'queue.freeExpiredKeys',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies((family) => {
    const over = (row: string) =>
      `SELECT ${row} FROM queue_job WHERE ${HOLDING} AND idempotency_until <= :now ORDER BY idempotency_until LIMIT CAST(:limit AS INTEGER)`;
    return `UPDATE queue_job SET idempotency_token = NULL WHERE ${someRows(family, 'id', over)}`;
  }),
});

const ENDS = [
  ['completed', 'completedBefore'],
  ['cancelled', 'completedBefore'],
  ['dead', 'deadBefore'],
] as const;

type Before = Readonly<Record<(typeof ENDS)[number][1], string>>;

const GIVEN: Before = { completedBefore: ':completedBefore', deadBefore: ':deadBefore' };

const ended = (status: string, before: string) => `FROM queue_job WHERE status = '${status}' AND ${SETTLED} AND finished_at < ${before}`;

/** Params: `completedBefore`, `deadBefore`, `limit`. */
export const sweepJobs = defineStatement({
  label: 'queue.sweep',
  operation: 'delete',
  table: 'queue_job',
  sql: bothFamilies((family) => {
    const each = (row: string) =>
      ENDS.map(
        ([status, before]) =>
          `SELECT * FROM (SELECT ${row} AS job ${ended(status, GIVEN[before])} ORDER BY finished_at LIMIT CAST(:limit AS INTEGER)) AS ${status}`,
      ).join(' UNION ALL ');
    return `DELETE FROM queue_job WHERE ${someRows(family, 'id', (row) => `SELECT job FROM (${each(row)}) AS e LIMIT CAST(:limit AS INTEGER)`)}`;
  }),
});

/**
 * Whether a sweep has work, as a value: jobs to remove, or keys that are over, which must go first. The first of each index is looked at alone: an EXISTS may read the table.
 *
 * @param before expressions, as `now` is.
 */
export const sweepableJobs = (before: Before, now: string) =>
  `CASE WHEN ${[
    `(SELECT idempotency_until FROM queue_job WHERE ${HOLDING} ORDER BY idempotency_until LIMIT 1) <= ${now}`,
    ...ENDS.map(([status, limit]) => `(SELECT 1 ${ended(status, before[limit])} ORDER BY finished_at LIMIT 1) IS NOT NULL`),
  ].join(' OR ')} THEN 1 ELSE 0 END`;

/** Params: `completedBefore`, `deadBefore`, `now`. */
export const findSweepable = defineStatement({
  label: 'queue.sweepable',
  operation: 'select',
  table: 'queue_job',
  sql: `SELECT ${sweepableJobs(GIVEN, ':now')} AS found`,
});

import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
import { MINE, SETTLED } from './find-jobs.js';
import { someRows } from './some-rows.js';
import { waiting } from './walk-lanes.js';

// What people do to jobs: cancel, move, replay, remove. Each names the states it may start from. What may touch many jobs takes a bounded number at
// a time, so that it holds the write lock briefly; it is repeated until it finds fewer.

const NOT_STARTED = `status IN ('scheduled', 'pending')`;

/** Gives the idempotency key back. Params: `id`, `organizationId` or null, `now`. */
export const cancelJob = defineStatement({
  label: 'queue.cancel',
  operation: 'update',
  table: 'queue_job',
  sql: `UPDATE queue_job SET status = 'cancelled', finished_at = :now, idempotency_token = NULL, updated_at = :now
    WHERE id = :id AND ${NOT_STARTED} AND ${MINE}`,
});

/** Params: `id`, `organizationId` or null, `dueAt`, `now`. */
export const rescheduleJob = defineStatement({
  label: 'queue.reschedule',
  operation: 'update',
  table: 'queue_job',
  sql: `UPDATE queue_job SET status = CASE WHEN CAST(:dueAt AS BIGINT) <= :now THEN 'pending' ELSE 'scheduled' END,
      rank_at = rank_at - due_at + :dueAt, due_at = :dueAt, updated_at = :now
    WHERE id = :id AND ${NOT_STARTED} AND ${MINE}`,
});

const REPLAY = `status = 'pending', attempts = 0, rank_at = rank_at - due_at + :now, due_at = :now, finished_at = NULL, updated_at = :now`;

/** The empty text keeps Postgres off the index of dead jobs, of which it expects few: it is found by its id. */
const DEAD_ONE = `id = :id AND status || '' = 'dead' AND ${MINE}`;

/** Params: `id`, `organizationId` or null, `now`. */
export const replayJob = defineStatement({
  label: 'queue.replay',
  operation: 'update',
  table: 'queue_job',
  sql: `UPDATE queue_job SET ${REPLAY} WHERE ${DEAD_ONE}`,
});

/** Some rows of a condition. On Postgres past those that somebody else is at. Param: `limit`. */
const some = (family: SqlFamily, condition: string) =>
  someRows(
    family,
    'id',
    (row) =>
      `SELECT q.${row} FROM queue_job AS q WHERE ${condition} LIMIT CAST(:limit AS INTEGER) ${family === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : ''}`,
  );

/** Those that died before the call: one that dies again is not taken twice. Params: `queue`, `organizationId` or null, `now`, `limit`. */
export const replayJobs = defineStatement({
  label: 'queue.replayAll',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) =>
      `UPDATE queue_job SET ${REPLAY} WHERE ${some(family, `status = 'dead' AND ${SETTLED} AND finished_at <= :now AND queue = :queue AND ${MINE}`)}`,
  ),
});

const purge = (condition: string) =>
  bothFamilies((family) => `DELETE FROM queue_job WHERE ${some(family, `${condition} AND queue = :queue AND ${MINE}`)}`);

// What has not started, by the index it is in. Params: `queue`, `organizationId` or null, `limit`.
export const purgeScheduled = defineStatement({
  label: 'queue.purge',
  operation: 'delete',
  table: 'queue_job',
  sql: purge(`status = 'scheduled'`),
});
export const purgeFree = defineStatement({
  label: 'queue.purge',
  operation: 'delete',
  table: 'queue_job',
  sql: purge(waiting('free', 'q')),
});
export const purgeCapped = defineStatement({
  label: 'queue.purge',
  operation: 'delete',
  table: 'queue_job',
  sql: purge(waiting('capped', 'q')),
});

/** Params: `id`, `organizationId` or null. */
export const purgeDeadJob = defineStatement({
  label: 'queue.purgeFailed',
  operation: 'delete',
  table: 'queue_job',
  sql: `DELETE FROM queue_job WHERE ${DEAD_ONE}`,
});

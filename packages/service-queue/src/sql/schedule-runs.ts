import { bothFamilies, defineStatement } from '@bellhop/store';
import { someRows } from './some-rows.js';

// The history of schedules.

export interface RunRecord {
  readonly name: string;
  readonly fire_at: number;
  readonly outcome: 'published' | 'skipped' | 'waiting';
  readonly reason: string | null;
  readonly job_id: string | null;
  readonly created_at: number;
}

/** Params: `name`, `limit`. */
export const listRuns = defineStatement({
  label: 'queue.listRuns',
  operation: 'select',
  table: 'queue_schedule_run',
  sql: `
    SELECT name, fire_at, outcome, reason, job_id, created_at FROM queue_schedule_run WHERE name = :name
    ORDER BY fire_at DESC LIMIT CAST(:limit AS INTEGER)`,
});

/** The runs that waited for a schedule, if it is gone. Params: `name`, `reason`. */
export const skipWaitingRuns = defineStatement({
  label: 'queue.skipRuns',
  operation: 'update',
  table: 'queue_schedule_run',
  sql: `
    UPDATE queue_schedule_run SET outcome = 'skipped', reason = :reason
    WHERE name = :name AND outcome = 'waiting' AND NOT EXISTS (SELECT 1 FROM queue_schedule WHERE name = :name)`,
});

const OLD = `outcome <> 'waiting'`;

/** Params: `createdBefore`, `limit`. */
export const sweepRuns = defineStatement({
  label: 'queue.sweepRuns',
  operation: 'delete',
  table: 'queue_schedule_run',
  sql: bothFamilies((family) => {
    const old = (row: string) => `SELECT ${row} FROM queue_schedule_run WHERE ${OLD} AND created_at < :createdBefore
      ORDER BY created_at LIMIT CAST(:limit AS INTEGER)`;
    return `DELETE FROM queue_schedule_run WHERE ${someRows(family, 'ctid', old)}`;
  }),
});

/** Whether a run is so old, as a value. @param before an expression. */
export const oldRun = (before: string) =>
  `CASE WHEN (SELECT created_at FROM queue_schedule_run WHERE ${OLD} ORDER BY created_at LIMIT 1) < ${before} THEN 1 ELSE 0 END`;

/** Params: `createdBefore`. */
export const findOldRun = defineStatement({
  label: 'queue.sweepableRuns',
  operation: 'select',
  table: 'queue_schedule_run',
  sql: `SELECT ${oldRun(':createdBefore')} AS found`,
});

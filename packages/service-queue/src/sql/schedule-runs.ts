import { bothFamilies, defineStatement } from '@bellhop/store';

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

/** The runs that waited for a schedule that is gone. Params: `name`, `reason`. */
export const skipWaitingRuns = defineStatement({
  label: 'queue.skipRuns',
  operation: 'update',
  table: 'queue_schedule_run',
  sql: `UPDATE queue_schedule_run SET outcome = 'skipped', reason = :reason WHERE name = :name AND outcome = 'waiting'`,
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
    // An array, for of a limit that is a parameter Postgres expects a tenth of the table, and would join its rows to a reading of all of it.
    return `DELETE FROM queue_schedule_run WHERE ${family === 'postgres' ? `ctid = ANY (ARRAY(${old('ctid')}))` : `rowid IN (${old('rowid')})`}`;
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

import { bothFamilies, defineStatement } from '@bellhop/store';
import { MINE } from './find-jobs.js';
import { DUE_SCHEDULE, READY_SCHEDULE, unfinishedJob } from './schedule-conditions.js';

// Statements that keep and find schedules.

/** A row as the driver gives it. */
export interface ScheduleRecord {
  readonly name: string;
  readonly organization_id: string;
  readonly paused: number;
  readonly revision: string;
  readonly next_fire_at: number | null;
  readonly last_fire_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly spec: string;
}

const COLUMNS = ['name', 'organization_id', 'paused', 'revision', 'next_fire_at', 'last_fire_at', 'created_at', 'updated_at', 'spec'];

/** A name that is taken writes nothing. Params: `name`, `organizationId`, `spec`, `nextFireAt`, `fresh` (its revision), `now`. */
export const insertSchedule = defineStatement({
  label: 'queue.insertSchedule',
  operation: 'insert',
  table: 'queue_schedule',
  sql: `
    INSERT INTO queue_schedule (name, organization_id, paused, revision, next_fire_at, created_at, updated_at, spec)
    VALUES (:name, :organizationId, 0, :fresh, CAST(:nextFireAt AS BIGINT), CAST(:now AS BIGINT), CAST(:now AS BIGINT), :spec)
    ON CONFLICT (name) DO NOTHING`,
});

/** Compare-and-set on the revision. Params: as `insertSchedule`, and `seen`. */
export const replaceSchedule = defineStatement({
  label: 'queue.replaceSchedule',
  operation: 'update',
  table: 'queue_schedule',
  sql: `
    UPDATE queue_schedule SET organization_id = :organizationId, revision = :fresh, next_fire_at = :nextFireAt, updated_at = :now, spec = :spec
    WHERE name = :name AND revision = :seen`,
});

/** Params: `name`, `organizationId` or null. */
export const removeSchedule = defineStatement({
  label: 'queue.removeSchedule',
  operation: 'delete',
  table: 'queue_schedule',
  sql: `DELETE FROM queue_schedule WHERE name = :name AND ${MINE}`,
});

/** Params: `name`, `organizationId` or null, `paused` (0 or 1), `fresh`, `now`. */
export const pauseSchedule = defineStatement({
  label: 'queue.pauseSchedule',
  operation: 'update',
  table: 'queue_schedule',
  sql: `UPDATE queue_schedule SET paused = :paused, revision = :fresh, updated_at = :now WHERE name = :name AND ${MINE}`,
});

/** Params: `name`. */
export const getSchedule = defineStatement({
  label: 'queue.getSchedule',
  operation: 'select',
  table: 'queue_schedule',
  sql: `SELECT ${COLUMNS.join(', ')} FROM queue_schedule WHERE name = :name`,
});

/** Params: `organizationId`; null: all. */
export const listSchedules = defineStatement({
  label: 'queue.listSchedules',
  operation: 'select',
  table: 'queue_schedule',
  sql: `
    SELECT ${COLUMNS.join(', ')} FROM queue_schedule
    WHERE ${MINE} ORDER BY name`,
});

export interface DueScheduleRecord extends ScheduleRecord {
  readonly unfinished: string | null;
  /** JSON array of times, the earliest first. */
  readonly waiting: string | null;
}

const qualified = COLUMNS.map((column) => `s.${column}`).join(', ');

/** Params: `now`, `limit`. */
export const dueSchedules = defineStatement({
  label: 'queue.dueSchedules',
  operation: 'select',
  table: 'queue_schedule',
  sql: bothFamilies(
    (family) => `
      WITH found AS (
        SELECT name, due FROM (SELECT name, next_fire_at AS due FROM queue_schedule WHERE ${DUE_SCHEDULE} AND next_fire_at <= :now
          ORDER BY next_fire_at LIMIT CAST(:limit AS INTEGER)) AS f
        UNION ALL
        SELECT name, due FROM (SELECT name, waiting_at AS due FROM queue_schedule AS s WHERE ${READY_SCHEDULE}
          ORDER BY waiting_at LIMIT CAST(:limit AS INTEGER)) AS w),
      first AS (SELECT name, MIN(due) AS due FROM found GROUP BY name ORDER BY MIN(due), name LIMIT CAST(:limit AS INTEGER))
      SELECT ${qualified}, (${unfinishedJob('j.id')}) AS unfinished, (
        SELECT ${family === 'postgres' ? 'json_agg(fire_at)' : 'json_group_array(fire_at)'} FROM (
          SELECT r.fire_at FROM queue_schedule_run AS r WHERE r.name = s.name AND r.outcome = 'waiting' ORDER BY r.fire_at) AS r) AS waiting
      FROM first CROSS JOIN queue_schedule AS s WHERE s.name = first.name ORDER BY first.due, first.name`,
  ),
});

import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
import { DUE_SCHEDULE, READY_SCHEDULE } from './schedule-conditions.js';
import { waiting, walkLanes } from './walk-lanes.js';

// One read that tells a worker whether there is anything to do. Only seeks: it costs the same for an empty table and for a million jobs. (An EXISTS
// may become a join, and what names no order a reading of the table.)

export interface SurveyRecord {
  readonly expired_at: number | null;
  readonly next_expiry_at: number | null;
  readonly due_at: number | null;
  readonly next_due_at: number | null;
  readonly next_fire_at: number | null;
  readonly ready_run_at: number | null;
  /** JSON array of queue names. */
  readonly claimable: string | null;
}

/** Params: `now`, `queues` (JSON rows of queue, after, upTo). */
export const surveyJobs = defineStatement({
  label: 'queue.survey',
  operation: 'select',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      WITH RECURSIVE asked AS MATERIALIZED (
        SELECT * FROM ${asked(family)} WHERE NOT EXISTS (SELECT 1 FROM queue_pause AS p WHERE p.queue = a.queue)),
      free AS MATERIALIZED (
        SELECT queue FROM asked WHERE (SELECT 1 FROM queue_job AS q
          WHERE ${waiting('free', 'q')} AND q.queue = asked.queue AND q.lane > asked.after_lane AND q.lane <= asked.up_to
          ORDER BY q.lane LIMIT 1) IS NOT NULL),
      arm AS (
        SELECT 0 AS arm, queue, after_lane, up_to, after_lane AS start, CAST(1 AS BIGINT) AS wanted
        FROM asked WHERE queue NOT IN (SELECT queue FROM free)),
      ${walkLanes(family, 'capped', 'capped', 'arm')}
      SELECT ${time('running', 'locked_until', '<=')} AS expired_at, ${time('running', 'locked_until', '>')} AS next_expiry_at,
        ${time('scheduled', 'due_at', '<=')} AS due_at, ${time('scheduled', 'due_at', '>')} AS next_due_at,
        (SELECT next_fire_at FROM queue_schedule WHERE ${DUE_SCHEDULE} ORDER BY next_fire_at LIMIT 1) AS next_fire_at,
        (SELECT waiting_at FROM queue_schedule AS s WHERE ${READY_SCHEDULE} ORDER BY waiting_at LIMIT 1) AS ready_run_at,
        (SELECT ${family === 'postgres' ? 'json_agg(queue)' : 'json_group_array(queue)'} FROM (
          SELECT queue FROM free UNION SELECT queue FROM capped WHERE room > 0) AS c) AS claimable`,
  ),
});

function time(status: string, column: string, comparison: '<=' | '>'): string {
  return `(SELECT ${column} FROM queue_job WHERE status = '${status}' AND ${column} ${comparison} :now ORDER BY ${column} LIMIT 1)`;
}

function asked(family: SqlFamily): string {
  return family === 'postgres'
    ? '(SELECT queue, "after" AS after_lane, "upTo" AS up_to FROM json_to_recordset(:queues::json) AS r(queue text, "after" text, "upTo" text)) AS a'
    : `(SELECT value ->> '$.queue' AS queue, value ->> '$.after' AS after_lane, value ->> '$.upTo' AS up_to FROM json_each(:queues)) AS a`;
}

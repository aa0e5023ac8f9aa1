import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, jsonRows } from '@bellhop/store';
import { PRIORITY_POINT_MS } from '../job-rank.js';

// The three statements of a fire, in one transaction: the schedule moves on, its runs are noted, their jobs stored. Each depends on what the one
// before it wrote, not on what was read: remote libSQL sends all three at once.

const FIRES = {
  name: 'text',
  seen: 'text',
  fresh: 'text',
  next_fire_at: 'bigint',
  last_fire_at: 'bigint',
  last_job_id: 'text',
  waiting_at: 'bigint',
} as const;

const moveOn = (family: SqlFamily, from: string) => `
  UPDATE queue_schedule AS s SET revision = f.fresh, next_fire_at = f.next_fire_at, last_fire_at = f.last_fire_at,
    last_job_id = COALESCE(f.last_job_id, s.last_job_id), waiting_at = f.waiting_at
  FROM ${from} AS f WHERE s.name = f.name AND s.revision = f.seen AND s.paused = 0
  RETURNING ${family === 'postgres' ? 's.name' : 'name'}`;

/**
 * Compare-and-set on the revision. On Postgres a row that another process fires is passed by: both would wait for each other's rows. Params:
 * `fires` (JSON rows).
 */
export const moveSchedules = defineStatement({
  label: 'queue.fire',
  operation: 'update',
  table: 'queue_schedule',
  sql: {
    sqlite: moveOn('sqlite', `(SELECT * FROM ${jsonRows('sqlite', ':fires', 'r', FIRES)})`),
    postgres: `
      WITH held AS MATERIALIZED (
        SELECT r.* FROM ${jsonRows('postgres', ':fires', 'r', FIRES)}
        CROSS JOIN LATERAL (SELECT q.name FROM queue_schedule AS q WHERE q.name = r.name AND q.revision = r.seen FOR UPDATE SKIP LOCKED) AS l)
      ${moveOn('postgres', 'held')}`,
  },
});

const RUNS = {
  name: 'text',
  fire_at: 'bigint',
  fresh: 'text',
  outcome: 'text',
  reason: 'text',
  job_id: 'text',
} as const;

/** Runs of the schedules that moved on. A fire time that has a run keeps it, unless it waits. Params: `now`, `runs` (JSON rows). */
export const insertRuns = defineStatement({
  label: 'queue.noteRuns',
  operation: 'insert',
  table: 'queue_schedule_run',
  sql: bothFamilies((family) => {
    const rows = jsonRows(family, ':runs', 'r', RUNS);
    const moved = 's.name = r.name AND s.revision = r.fresh';
    const from =
      family === 'postgres'
        ? `${rows} CROSS JOIN LATERAL (SELECT s.organization_id FROM queue_schedule AS s WHERE ${moved} LIMIT 1) AS s WHERE true`
        : `${rows} CROSS JOIN queue_schedule AS s WHERE ${moved}`;
    return `
      INSERT INTO queue_schedule_run (name, fire_at, organization_id, outcome, reason, job_id, created_at)
      SELECT r.name, r.fire_at, s.organization_id, r.outcome, r.reason, r.job_id, CAST(:now AS BIGINT) FROM ${from}
      ON CONFLICT (name, fire_at) DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, job_id = excluded.job_id
        WHERE queue_schedule_run.outcome = 'waiting' AND excluded.outcome <> 'waiting'`;
  }),
});

const JOBS = {
  id: 'text',
  name: 'text',
  fire_at: 'bigint',
  organization_id: 'text',
  queue: 'text',
  status: 'text',
  lane: 'text',
  priority: 'integer',
  max_attempts: 'integer',
  due_at: 'bigint',
  data: 'text',
  options: 'text',
} as const;

/** Jobs of the runs that are theirs: one whose fire time had a run already is not stored. Params: `now`, `jobs` (JSON rows). */
export const insertScheduledJobs = defineStatement({
  label: 'queue.publishRuns',
  operation: 'insert',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      INSERT INTO queue_job (organization_id, queue, status, lane, priority, max_attempts, id, due_at, rank_at, data, options, attempts, progress,
        created_at, updated_at)
      SELECT r.organization_id, r.queue, r.status, r.lane, r.priority, r.max_attempts, r.id, r.due_at,
        r.due_at + CAST(r.priority AS BIGINT) * ${PRIORITY_POINT_MS}, r.data, r.options, 0, 0, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
      FROM ${jsonRows(family, ':jobs', 'r', JOBS)}
      WHERE r.id = (SELECT x.job_id FROM queue_schedule_run AS x WHERE x.name = r.name AND x.fire_at = r.fire_at)`,
  ),
});

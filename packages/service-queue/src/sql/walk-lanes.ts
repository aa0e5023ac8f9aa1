import type { SqlFamily } from '@bellhop/contracts';

// Common table expressions that find the lanes of queues: by hops along a claim index, one seek a lane, never through the jobs of one.

/** Jobs whose group has no limit, and those whose group has one: apart, each with its own index. */
export type LaneKind = 'free' | 'capped';

/** The condition of the kind's index. SQLite takes a partial index only for its very words. */
export function waiting(kind: LaneKind, job: string): string {
  return `${job}.status = 'pending' AND ${job}.group_limit IS ${kind === 'free' ? '' : 'NOT '}NULL`;
}

/** Jobs of a lane that run and count against its limit. */
const HELD = `(SELECT COUNT(*) FROM queue_job AS r
  WHERE r.status = 'running' AND r.group_limit IS NOT NULL AND r.queue = w.queue AND r.lane = h.lane)`;

/**
 * A recursive expression of (arm, queue, after_lane, up_to, start, wanted, lane, lap, room, found): the lanes from `start`, exclusive, to `up_to`,
 * then round from `after_lane`, exclusive, to `start`. A row with room is a lane that may give so many jobs: all that are wanted, or what its
 * group's limit, as its first job has it, leaves. One without room is passed, and not counted: there are no more of those than jobs that run.
 * Ends when as many lanes are found as jobs are wanted.
 *
 * @param arms rows of (arm, queue, after_lane, up_to, start, wanted).
 */
export function walkLanes(family: SqlFamily, name: string, kind: LaneKind, arms: string): string {
  const first = (columns: string, after: string, upTo: string, only = '') => `SELECT ${columns} FROM queue_job AS q
    WHERE ${waiting(kind, 'q')} AND q.queue = w.queue AND q.lane > ${after} AND q.lane <= ${upTo} ${only}
    ORDER BY q.lane, q.rank_at, q.id LIMIT 1`;
  const upTo = 'CASE WHEN w.lap = 0 THEN w.up_to ELSE w.start END';
  const next =
    family === 'postgres'
      ? `CROSS JOIN LATERAL (SELECT * FROM (
          (${first('q.lane, q.group_limit, w.lap', 'w.lane', upTo)}) UNION ALL
          (${first('q.lane, q.group_limit, 1', 'w.after_lane', 'w.start', 'AND w.lap = 0 AND w.start <> w.after_lane')})) AS n ORDER BY lap LIMIT 1) AS h`
      : `CROSS JOIN queue_job AS h ON h.rowid = COALESCE((${first('q.rowid', 'w.lane', upTo)}), CASE w.lap WHEN 0 THEN (${first('q.rowid', 'w.after_lane', 'w.start')}) END)`;
  const columns = 'arm, queue, after_lane, up_to, start, wanted';
  const lap = family === 'postgres' ? 'h.lap' : 'CASE WHEN w.lap = 1 OR h.lane <= w.start THEN 1 ELSE 0 END';
  const room = kind === 'free' ? 'w.wanted' : `h.group_limit - ${HELD}`;
  const foundBefore = 'w.found + CASE WHEN w.room > 0 THEN 1 ELSE 0 END';
  const start = family === 'postgres' ? 'start COLLATE "C"' : 'start';
  return `${name}(${columns}, lane, lap, room, found) AS (
    SELECT ${columns}, ${start}, 0, CAST(0 AS BIGINT), CAST(0 AS BIGINT) FROM ${arms}
    UNION ALL
    SELECT ${prefixed(columns)}, h.lane, ${lap}, CAST(${room} AS BIGINT), ${foundBefore}
    FROM ${name} AS w ${next} WHERE ${foundBefore} < w.wanted)`;
}

function prefixed(columns: string): string {
  return columns.replace(/\w+/g, 'w.$&');
}

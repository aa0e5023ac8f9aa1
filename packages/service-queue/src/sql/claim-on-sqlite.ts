import { firstInTurn, jobsOfLane, lanesInTurn, NOT_PAUSED, reach, TAKE } from './claim-parts.js';
import { claimedColumns } from './job-columns.js';
import { type LaneKind, waiting, walkLanes } from './walk-lanes.js';

// The texts of claims for SQLite and libSQL.

/**
 * SQLite has no LATERAL: the jobs of a lane come as one JSON array, whose key is their place. Its LIMIT cannot name the lane, so it is that of the
 * widest reach; arms that differ much are claimed by statements of their own.
 */
const onSqlite = (kind: LaneKind, limit: string) =>
  `json_each((SELECT json_group_array(job) FROM (${jobsOfLane(kind, 'q.rowid AS job', limit)})))`;

/** The rows of several arms. */
const PICK_OF_MANY = `
  WITH RECURSIVE arm(arm, queue, after_lane, up_to, start, wanted) AS MATERIALIZED (
    SELECT * FROM (SELECT key AS arm, value ->> '$.queue' AS queue, value ->> '$.after' AS after_lane, value ->> '$.upTo' AS up_to,
      value ->> '$.start' AS start, value ->> '$.wanted' AS wanted FROM json_each(:arms)) AS a WHERE ${NOT_PAUSED}),
  ${lanesInTurn('sqlite', ['free', 'capped'])},
  candidate AS (${(['free', 'capped'] as const)
    .map(
      (kind, capped) => `SELECT t.arm, t.turn, t.wanted, e.key AS place, e.value AS job
        FROM turn AS t CROSS JOIN ${onSqlite(kind, `(SELECT MAX(reach) FROM turn WHERE capped = ${capped})`)} AS e
        WHERE t.capped = ${capped} AND e.key < t.reach`,
    )
    .join(' UNION ALL ')})
  ${firstInTurn('job')}`;

/** The rows of one arm: all of it is known, so nothing needs to be partitioned. */
function pickOfOne(kinds: readonly LaneKind[]): string {
  const limit = `(SELECT ${reach('sqlite', 'CAST(:wanted AS INTEGER)', 'COUNT(*)')} FROM lane)`;
  const jobs = kinds.map(
    (
      kind,
      capped,
    ) => `SELECT e.value AS job, e.key AS place, t.lap, t.lane, t.capped FROM lane AS t CROSS JOIN ${onSqlite(kind, limit)} AS e
      WHERE t.capped = ${capped} AND e.key < t.room`,
  );
  return `
    WITH RECURSIVE arm(arm, queue, after_lane, up_to, start, wanted) AS (SELECT 0, :queue, :after, :upTo, :start, CAST(:wanted AS INTEGER)),
    ${kinds.map((kind) => walkLanes('sqlite', `${kind}_lane`, kind, 'arm')).join(', ')},
    lane AS MATERIALIZED (${kinds
      .map((kind, capped) => `SELECT queue, lane, lap, room, ${capped} AS capped FROM ${kind}_lane WHERE room > 0`)
      .join(' UNION ALL ')})
    SELECT json_group_array(job) FROM (
      SELECT job FROM (${jobs.join(' UNION ALL ')}) ORDER BY place, lap, lane, capped LIMIT CAST(:wanted AS INTEGER))`;
}

const JOBS_OF_ARM = `queue_job AS q WHERE $ AND q.queue = :queue AND q.lane > :after AND q.lane <= :upTo`;
const inArm = (kind: LaneKind) => JOBS_OF_ARM.replace('$', waiting(kind, 'q'));
const outermostLane = (order: string) => `(SELECT q.lane FROM ${inArm('free')} ORDER BY q.lane ${order} LIMIT 1)`;

/** Most queues have one lane: its first jobs, without any walk. */
const PICK_OF_ONLY_LANE = `SELECT json_group_array(job) FROM (
  SELECT q.rowid AS job FROM queue_job AS q WHERE ${waiting('free', 'q')} AND q.queue = :queue AND q.lane = ${outermostLane('ASC')}
  ORDER BY q.rank_at, q.id LIMIT CAST(:wanted AS INTEGER))`;

export const ONE_ON_SQLITE = `
  UPDATE queue_job SET ${TAKE} WHERE rowid IN (SELECT value FROM json_each(CASE
    WHEN EXISTS (SELECT 1 FROM queue_pause WHERE queue = :queue) THEN '[]'
    WHEN EXISTS (SELECT 1 FROM ${inArm('capped')}) THEN (${pickOfOne(['free', 'capped'])})
    WHEN ${outermostLane('ASC')} = ${outermostLane('DESC')} THEN (${PICK_OF_ONLY_LANE})
    ELSE (${pickOfOne(['free'])}) END))
  RETURNING ${claimedColumns()}`;

export const MANY_ON_SQLITE = `UPDATE queue_job SET ${TAKE} WHERE rowid IN (${PICK_OF_MANY}) RETURNING ${claimedColumns()}`;

import { firstInTurn, jobsOfLane, lanesInTurn, NOT_PAUSED, TAKE } from './claim-parts.js';
import { claimedColumns } from './job-columns.js';
import { type LaneKind, waiting } from './walk-lanes.js';

// The texts of claims for Postgres.

/**
 * How many each lane gives is found without locks; then so many are taken past those that somebody else is taking: two that claim at once take
 * different jobs and neither waits.
 */
function onPostgres(kinds: readonly LaneKind[], armsLeft: string, picksBesides: readonly string[] = []): string {
  const ofKind = (write: (kind: LaneKind) => string) => kinds.map((kind, capped) => `${write(kind)} AND t.capped = ${capped}`);
  const candidates = ofKind(
    (kind) => `SELECT t.*, c.place FROM turn AS t CROSS JOIN LATERAL
      generate_series(1, (SELECT COUNT(*) FROM (${jobsOfLane(kind, '1', 't.reach')}) AS s)) AS c(place) WHERE true`,
  );
  const picks = ofKind(
    (kind) =>
      `SELECT p.id FROM quota AS t CROSS JOIN LATERAL (${jobsOfLane(kind, 'q.id', 't.quota')} FOR UPDATE SKIP LOCKED) AS p WHERE true`,
  );
  return `
    WITH RECURSIVE asked AS MATERIALIZED (
      SELECT a.* FROM json_to_recordset(:arms::json) AS a(arm integer, queue text, "after" text, "upTo" text, start text, wanted bigint)
      WHERE ${NOT_PAUSED}),
    ${armsLeft},
    ${lanesInTurn('postgres', kinds)},
    candidate AS (${candidates.join(' UNION ALL ')}),
    quota AS MATERIALIZED (
      SELECT arm, queue, lane, capped, COUNT(*) AS quota FROM (${firstInTurn('*')}) AS w GROUP BY arm, queue, lane, capped),
    picked AS MATERIALIZED (${[...picks, ...picksBesides].join(' UNION ALL ')}),
    taken AS (
      UPDATE queue_job AS j SET ${TAKE} FROM (SELECT DISTINCT id FROM picked) AS p WHERE j.id = p.id RETURNING ${claimedColumns('j')})`;
}

const ARM = 'SELECT arm, queue, "after" AS after_lane, "upTo" AS up_to, start, wanted FROM asked';
/** A seek. An EXISTS may become a join, and what names no order a reading of the table: either passes by all that waits. */
const HAS_CAPPED = `(SELECT 1 FROM queue_job AS q WHERE ${waiting('capped', 'q')} AND q.queue = asked.queue ORDER BY q.lane LIMIT 1) IS NOT NULL`;

const IN_ARM = `queue_job AS q WHERE ${waiting('free', 'q')} AND q.queue = f.queue AND q.lane > f.after_lane`;

/**
 * Arms of one lane, which most queues have: their first jobs, without any walk. Until a vacuum the claim index keeps the entries of all that was
 * claimed, before those that wait, and whoever looks for the first one reads past them: the walk does so four times. The last lane is found from
 * the other end, and that nothing lies before it in one seek (a NOT EXISTS may become a join over all of the queue). With 60 000 claimed of 100 000, a claim of 10 read 2 258 pages in 6.8 ms by the walk.
 */
const SOLE = `SELECT f.arm, f.queue, f.wanted, l.lane FROM found AS f
  CROSS JOIN LATERAL (SELECT q.lane FROM ${IN_ARM} AND q.lane <= f.up_to ORDER BY q.lane DESC LIMIT 1) AS l
  WHERE (SELECT 1 FROM ${IN_ARM} AND q.lane < l.lane ORDER BY q.lane LIMIT 1) IS NULL`;

const PICKS_OF_SOLE = `SELECT p.id FROM sole AS t CROSS JOIN LATERAL (${jobsOfLane('free', 'q.id', 't.wanted')} FOR UPDATE SKIP LOCKED) AS p`;

/** Leaves out queues that have jobs of limited groups, and returns such a queue's `arm`, with nothing else in the row. */
export const ON_POSTGRES = `${onPostgres(
  ['free'],
  `left_out AS MATERIALIZED (SELECT arm FROM asked WHERE ${HAS_CAPPED}),
   found AS MATERIALIZED (${ARM} WHERE arm NOT IN (SELECT arm FROM left_out)),
   sole AS MATERIALIZED (${SOLE}),
   arm AS MATERIALIZED (SELECT * FROM found WHERE arm NOT IN (SELECT arm FROM sole))`,
  [PICKS_OF_SOLE],
)}
  SELECT taken.*, CAST(NULL AS INTEGER) AS left_out FROM taken
  UNION ALL SELECT taken.*, l.arm FROM left_out AS l LEFT JOIN taken ON false`;

/** Under the lock of the queues. */
export const LOCKED_ON_POSTGRES = `${onPostgres(['free', 'capped'], `arm AS MATERIALIZED (${ARM})`)} SELECT * FROM taken`;

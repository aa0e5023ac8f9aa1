import type { SqlFamily } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { claimedColumns } from './job-columns.js';
import { type LaneKind, waiting, walkLanes } from './walk-lanes.js';

// Statements that claim.
//
// An arm is one queue of a claim. Its lanes are found by hops along the claim index, beginning after the lane served last; at most as many as jobs
// are wanted. Each may give up to four times its equal share, so that short lanes leave nothing undone and deep ones are not read through: looked
// at are four entries for a job that is wanted, at most, whatever the backlog. Of these the first in turn are taken: every lane's first, every
// lane's second, and so on.
//
// A group gives no more than its limit less what runs of it. On SQLite a statement is alone, so the count is exact. On Postgres it is exact under
// the lock of `lockQueues`, in a statement of its own for the queues that have such groups.

/** How much of its equal share a lane may give. */
const SHARES = 4;

const TAKE = `status = 'running', attempts = attempts + 1, claim_token = :token, claimed_by = :workerId, locked_until = :lockedUntil,
  updated_at = :now`;

const NOT_PAUSED = 'NOT EXISTS (SELECT 1 FROM queue_pause AS p WHERE p.queue = a.queue)';

const LEAST: Readonly<Record<SqlFamily, string>> = { sqlite: 'MIN', postgres: 'LEAST' };

/** The lanes in turn, each with its reach: how many jobs it may give. */
function lanesInTurn(family: SqlFamily, kinds: readonly LaneKind[]): string {
  const walks = kinds.flatMap((kind) => {
    const ahead = `ahead_${kind}`;
    const alreadyFound = `(SELECT COUNT(*) FROM ${ahead} AS f WHERE f.arm = a.arm AND f.room > 0)`;
    return [
      walkLanes(family, ahead, kind, 'SELECT arm, queue, up_to, wanted, start AS lane, CAST(0 AS BIGINT) AS found FROM arm'),
      walkLanes(
        family,
        `around_${kind}`,
        kind,
        `SELECT a.arm, a.queue, a.start AS up_to, a.wanted, a.after_lane AS lane, ${alreadyFound} AS found FROM arm AS a WHERE a.start > a.after_lane`,
      ),
    ];
  });
  const all = kinds.flatMap((kind, capped) =>
    ['ahead', 'around'].map(
      (lap, lapNumber) =>
        `SELECT arm, queue, wanted, lane, room, ${capped} AS capped, ${lapNumber} AS lap FROM ${lap}_${kind} WHERE room > 0`,
    ),
  );
  const width = `${LEAST[family]}(found, wanted)`;
  return `${walks.join(', ')},
    lane AS (
      SELECT *, ROW_NUMBER() OVER (PARTITION BY arm ORDER BY lap, lane, capped) AS turn, COUNT(*) OVER (PARTITION BY arm) AS found
      FROM (${all.join(' UNION ALL ')}) AS l),
    turn AS MATERIALIZED (
      SELECT arm, queue, wanted, lane, capped, turn, ${LEAST[family]}(room, wanted, ${SHARES} * ((wanted + ${width} - 1) / ${width})) AS reach
      FROM lane WHERE turn <= wanted)`;
}

/** The jobs of lane `t` in their order, of one kind. */
const jobsOfLane = (kind: LaneKind, columns: string, limit: string) => `SELECT ${columns} FROM queue_job AS q
  WHERE ${waiting(kind, 'q')} AND q.queue = t.queue AND q.lane = t.lane ORDER BY q.rank_at, q.id LIMIT ${limit}`;

/** The first so many of each arm, in turn. */
const firstInTurn = (columns: string) => `SELECT ${columns} FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY arm ORDER BY place, turn) AS nth FROM candidate) AS n WHERE nth <= wanted`;

/**
 * SQLite has no LATERAL: the jobs of a lane come as one JSON array, whose key is their place. Its LIMIT cannot name the lane, so it is that of the
 * widest reach; arms that differ much are claimed by statements of their own.
 */
const candidatesOnSqlite = (kind: LaneKind, capped: number) => `
  SELECT t.arm, t.turn, t.wanted, e.key AS place, e.value AS job
  FROM turn AS t CROSS JOIN json_each((SELECT json_group_array(job) FROM (
    ${jobsOfLane(kind, 'q.rowid AS job', `(SELECT MAX(reach) FROM turn WHERE capped = ${capped})`)}))) AS e
  WHERE t.capped = ${capped} AND e.key < t.reach`;

const ON_SQLITE = `
  WITH RECURSIVE arm(arm, queue, after_lane, up_to, start, wanted) AS MATERIALIZED (
    SELECT * FROM (SELECT key AS arm, value ->> '$.queue' AS queue, value ->> '$.after' AS after_lane, value ->> '$.upTo' AS up_to,
      value ->> '$.start' AS start, value ->> '$.wanted' AS wanted FROM json_each(:arms)) AS a WHERE ${NOT_PAUSED}),
  ${lanesInTurn('sqlite', ['free', 'capped'])},
  candidate AS (${candidatesOnSqlite('free', 0)} UNION ALL ${candidatesOnSqlite('capped', 1)})
  UPDATE queue_job SET ${TAKE} WHERE rowid IN (${firstInTurn('job')}) RETURNING ${claimedColumns()}`;

/**
 * How many each lane gives is found without locks; then so many are taken past those that somebody else is taking: two that claim at once take
 * different jobs and neither waits.
 */
function onPostgres(kinds: readonly LaneKind[], armsLeft: string): string {
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
    picked AS MATERIALIZED (${picks.join(' UNION ALL ')}),
    taken AS (
      UPDATE queue_job AS j SET ${TAKE} FROM (SELECT DISTINCT id FROM picked) AS p WHERE j.id = p.id RETURNING ${claimedColumns('j')})`;
}

const ARM = 'SELECT arm, queue, "after" AS after_lane, "upTo" AS up_to, start, wanted FROM asked';
const HAS_CAPPED = `EXISTS (SELECT 1 FROM queue_job AS q WHERE ${waiting('capped', 'q')} AND q.queue = asked.queue)`;

/**
 * Claims. Params: `arms` (JSON rows of arm, queue, after, upTo, start, wanted), `now`, `workerId`, `token`, `lockedUntil`. On Postgres it leaves
 * out queues that have jobs of limited groups, and returns such a queue's `arm`, with nothing else in the row.
 */
export const claimJobs = defineStatement({
  label: 'queue.claim',
  operation: 'update',
  table: 'queue_job',
  sql: {
    sqlite: ON_SQLITE,
    postgres: `${onPostgres(
      ['free'],
      `left_out AS MATERIALIZED (SELECT arm FROM asked WHERE ${HAS_CAPPED}),
       arm AS MATERIALIZED (${ARM} WHERE arm NOT IN (SELECT arm FROM left_out))`,
    )}
      SELECT taken.*, CAST(NULL AS INTEGER) AS left_out FROM taken
      UNION ALL SELECT taken.*, l.arm FROM left_out AS l LEFT JOIN taken ON false`,
  },
});

/** As `claimJobs`, for queues with limited groups on Postgres. Only in a transaction that began with `lockQueues`. */
export const claimCappedJobs = defineStatement({
  label: 'queue.claimCapped',
  operation: 'update',
  table: 'queue_job',
  sql: {
    sqlite: ON_SQLITE,
    postgres: `${onPostgres(['free', 'capped'], `arm AS MATERIALIZED (${ARM})`)} SELECT * FROM taken`,
  },
});

/**
 * Waits until nobody else claims of the queues' limited groups. A statement of its own, first in its transaction: the next one then sees what the
 * one that held the lock has taken. In one order, so that two never wait for each other. Params: `queues` (JSON texts).
 */
export const lockQueues = defineStatement({
  label: 'queue.lock',
  operation: 'select',
  table: 'queue_job',
  sql: {
    sqlite: 'SELECT 1',
    postgres: `SELECT COUNT(pg_advisory_xact_lock(key)) AS locks FROM (
      SELECT DISTINCT hashtextextended('bellhop queue ' || queue, 0) AS key FROM json_array_elements_text(:queues::json) AS q(queue) ORDER BY key) AS k`,
  },
});

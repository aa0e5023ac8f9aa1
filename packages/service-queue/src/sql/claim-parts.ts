import type { SqlFamily } from '@bellhop/contracts';
import { type LaneKind, waiting, walkLanes } from './walk-lanes.js';

// What the claims of both families are made of.
//
// An arm is one queue of a claim. Its lanes are found by hops along the claim index, beginning after the lane served last; at most as many as jobs
// are wanted. Each may give up to twice its equal share, so that short lanes leave little undone and deep ones are not read through: looked at are
// two entries for a job that is wanted, whatever the backlog. Of these the first in turn are taken: every lane's first, every lane's second, and so
// on.
//
// A group gives no more than its limit less what runs of it. On SQLite a statement is alone, so the count is exact. On Postgres it is exact under
// the lock of `lockQueues`, in a statement of its own for the queues that have such groups.

/** How much of its equal share a lane may give. */
const SHARES = 2;

export const TAKE = `status = 'running', attempts = attempts + 1, claim_token = :token, claimed_by = :workerId, locked_until = :lockedUntil,
  updated_at = :now`;

export const NOT_PAUSED = 'NOT EXISTS (SELECT 1 FROM queue_pause AS p WHERE p.queue = a.queue)';

const LEAST: Readonly<Record<SqlFamily, string>> = { sqlite: 'MIN', postgres: 'LEAST' };

/** How many jobs a lane may give of those that are wanted, where there are so many lanes. */
export function reach(family: SqlFamily, wanted: string, lanes: string): string {
  const width = `${LEAST[family]}(${lanes}, ${wanted})`;
  return `${LEAST[family]}(${wanted}, ${SHARES} * ((${wanted} + ${width} - 1) / ${width}))`;
}

/** The lanes of every arm in turn, each with its reach. */
export function lanesInTurn(family: SqlFamily, kinds: readonly LaneKind[]): string {
  const found = kinds.map(
    (kind, capped) => `SELECT arm, queue, wanted, lane, lap, room, ${capped} AS capped FROM ${kind}_lane WHERE room > 0`,
  );
  return `${kinds.map((kind) => walkLanes(family, `${kind}_lane`, kind, 'arm')).join(', ')},
    lane AS (
      SELECT *, ROW_NUMBER() OVER (PARTITION BY arm ORDER BY lap, lane, capped) AS turn, COUNT(*) OVER (PARTITION BY arm) AS lanes
      FROM (${found.join(' UNION ALL ')}) AS l),
    turn AS MATERIALIZED (
      SELECT arm, queue, wanted, lane, capped, turn, ${LEAST[family]}(room, ${reach(family, 'wanted', 'lanes')}) AS reach
      FROM lane WHERE turn <= wanted)`;
}

/** The jobs of lane `t` in their order, of one kind. */
export const jobsOfLane = (kind: LaneKind, columns: string, limit: string) => `SELECT ${columns} FROM queue_job AS q
  WHERE ${waiting(kind, 'q')} AND q.queue = t.queue AND q.lane = t.lane ORDER BY q.rank_at, q.id LIMIT ${limit}`;

/** The first so many of each arm, in turn. */
export const firstInTurn = (columns: string) => `SELECT ${columns} FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY arm ORDER BY place, turn) AS nth FROM candidate) AS n WHERE nth <= wanted`;

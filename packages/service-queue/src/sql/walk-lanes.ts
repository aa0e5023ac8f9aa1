import type { SqlFamily } from '@bellhop/contracts';

// Common table expressions that find the lanes of queues: by hops along a claim index, one seek a lane, never through the jobs of one.

/** Jobs whose group has no limit, and those whose group has one: apart, each with its own index. */
export type LaneKind = 'free' | 'capped';

/** The condition of the kind's index. SQLite takes a partial index only for its very words. */
export function waiting(kind: LaneKind, job: string): string {
  return `${job}.status = 'pending' AND ${job}.group_limit IS ${kind === 'free' ? '' : 'NOT '}NULL`;
}

/** Jobs of a lane that run and count against its limit. */
const held = (lane: string) => `(SELECT COUNT(*) FROM queue_job AS r
  WHERE r.status = 'running' AND r.group_limit IS NOT NULL AND r.queue = w.queue AND r.lane = ${lane}.lane)`;

/**
 * A recursive expression of (arm, queue, up_to, wanted, lane, room, found). A row with room is a lane that may give so many jobs: all that are
 * wanted, or what its group's limit, as its first job has it, leaves. One without room is passed, and not counted: there are no more of those
 * than jobs that run. Ends when as many lanes are found as jobs are wanted.
 *
 * @param seed rows of (arm, queue, up_to, wanted, lane, found): where to begin, exclusive.
 */
export function walkLanes(family: SqlFamily, name: string, kind: LaneKind, seed: string): string {
  const first = (columns: string) => `SELECT ${columns} FROM queue_job AS q
    WHERE ${waiting(kind, 'q')} AND q.queue = w.queue AND q.lane > w.lane AND q.lane <= w.up_to ORDER BY q.lane, q.rank_at, q.id LIMIT 1`;
  const join =
    family === 'postgres'
      ? `CROSS JOIN LATERAL (${first('q.lane, q.group_limit')}) AS h`
      : `CROSS JOIN queue_job AS h ON h.rowid = (${first('q.rowid')})`;
  const room = kind === 'free' ? 'w.wanted' : `h.group_limit - ${held('h')}`;
  const foundBefore = 'w.found + CASE WHEN w.room > 0 THEN 1 ELSE 0 END';
  return `${name}(arm, queue, up_to, wanted, lane, room, found) AS (
    SELECT s.arm, s.queue, s.up_to, s.wanted, s.lane ${family === 'postgres' ? 'COLLATE "C"' : ''}, CAST(0 AS BIGINT), s.found FROM (${seed}) AS s
    UNION ALL
    SELECT w.arm, w.queue, w.up_to, w.wanted, h.lane, CAST(${room} AS BIGINT), ${foundBefore}
    FROM ${name} AS w ${join} WHERE ${foundBefore} < w.wanted)`;
}

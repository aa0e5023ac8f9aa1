import type { JobStatus, QueueStats, Statement } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { byBytes } from '../lane.js';
import { SETTLED } from './find-jobs.js';
import { waiting } from './walk-lanes.js';

// Statistics. They count index entries, never rows: a million of small entries is read in the time of some ten thousand jobs. Those of one
// organization look at the rows.

export interface CountRecord {
  readonly queue: string;
  readonly status: JobStatus | 'paused';
  readonly jobs: number;
  /** The earliest due time of pending jobs, the earliest end of those that ended. */
  readonly earliest: number;
}

export interface CountShape {
  readonly queue: boolean;
  readonly organization: boolean;
}

/** Jobs by queue and state, and the queues that are paused. Params, as the shape has them: `queue, organizationId`. */
export function countJobs(shape: CountShape): Statement {
  const key = JSON.stringify(shape);
  let statement = counts.get(key);
  if (!statement) {
    const ofQueue = shape.queue ? 'AND queue = :queue' : '';
    const those = `${ofQueue} ${shape.organization ? 'AND organization_id = :organizationId' : ''}`;
    const count = (status: string, condition: string, earliest: string) =>
      `SELECT queue, '${status}' AS status, COUNT(*) AS jobs, MIN(${earliest}) AS earliest
       FROM queue_job AS j WHERE ${condition} ${those} GROUP BY queue`;
    statement = defineStatement({
      label: 'queue.stats',
      operation: 'select',
      table: 'queue_job',
      sql: [
        count('pending', waiting('free', 'j'), 'due_at'),
        count('pending', waiting('capped', 'j'), 'due_at'),
        count('scheduled', `status = 'scheduled'`, 'due_at'),
        count('running', `status = 'running'`, 'locked_until'),
        count('completed', HOLDING, 'idempotency_until'),
        ...(['completed', 'cancelled', 'dead'] as const).map((status) =>
          count(status, `status = '${status}' AND ${SETTLED}`, 'finished_at'),
        ),
        `SELECT queue, 'paused' AS status, 1 AS jobs, paused_at AS earliest FROM queue_pause WHERE true ${ofQueue}`,
      ].join(' UNION ALL '),
    });
    counts.set(key, statement);
  }
  return statement;
}

const counts = new Map<string, Statement>();

/** Completed, and its key is not known to be over. */
export const HOLDING = `status = 'completed' AND idempotency_token IS NOT NULL`;

/** @param withPaused queues that are paused and hold no job are listed, too. */
export function toStats(records: readonly CountRecord[], now: number, withPaused: boolean): QueueStats[] {
  const queues = new Map<string, { -readonly [Field in keyof QueueStats]: QueueStats[Field] }>();
  const holding = new Set<string>();
  for (const { queue, status, jobs, earliest } of records) {
    const stats = queues.get(queue) ?? { ...NOTHING, queue };
    queues.set(queue, stats);
    if (status === 'paused') {
      stats.paused = true;
      continue;
    }
    holding.add(queue);
    stats[status] += jobs;
    if (status === 'pending') stats.oldestPendingMs = Math.max(stats.oldestPendingMs ?? 0, now - earliest);
    if (status === 'dead') stats.oldestDeadMs = Math.max(0, now - earliest);
  }
  return [...queues.values()].filter(({ queue }) => withPaused || holding.has(queue)).sort((a, b) => byBytes(a.queue, b.queue));
}

const NOTHING = {
  paused: false,
  scheduled: 0,
  pending: 0,
  running: 0,
  completed: 0,
  dead: 0,
  cancelled: 0,
  oldestPendingMs: null,
  oldestDeadMs: null,
} satisfies Omit<QueueStats, 'queue'>;

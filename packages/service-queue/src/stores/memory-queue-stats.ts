import type { JobStatus, QueueStats } from '@bellhop/contracts';
import type { JobRow } from './memory-job-row.js';

interface Counts {
  readonly jobs: Record<JobStatus, number>;
  oldestDueAt: number;
  oldestDeadAt: number;
}

/** What the queues hold, counted: it looks at every row. Null: any queue, any organization. */
export function queueStats(
  rows: Iterable<JobRow>,
  paused: ReadonlySet<string>,
  queue: string | null,
  organizationId: string | null,
  now: number,
): QueueStats[] {
  const queues = new Map<string, Counts>();
  // Whoever asks for an organization is not told of queues in which it has nothing, unless he names one.
  if (organizationId === null || queue !== null) for (const name of paused) if (queue === null || queue === name) queues.set(name, none());
  for (const row of rows) {
    if ((queue !== null && row.queue !== queue) || (organizationId !== null && row.organizationId !== organizationId)) continue;
    const counts = queues.get(row.queue) ?? none();
    queues.set(row.queue, counts);
    counts.jobs[row.status] += 1;
    if (row.status === 'pending') counts.oldestDueAt = Math.min(counts.oldestDueAt, row.dueAt);
    if (row.status === 'dead') counts.oldestDeadAt = Math.min(counts.oldestDeadAt, row.finishedAt as number);
  }
  return [...queues]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { jobs, oldestDueAt, oldestDeadAt }]) => ({
      queue: name,
      paused: paused.has(name),
      ...jobs,
      oldestPendingMs: since(oldestDueAt, now),
      oldestDeadMs: since(oldestDeadAt, now),
    }));
}

function none(): Counts {
  return {
    jobs: { scheduled: 0, pending: 0, running: 0, completed: 0, dead: 0, cancelled: 0 },
    oldestDueAt: Number.POSITIVE_INFINITY,
    oldestDeadAt: Number.POSITIVE_INFINITY,
  };
}

/** Null for no time at all; 0 for one that a clock put back has before it. */
function since(time: number, now: number): number | null {
  return Number.isFinite(time) ? Math.max(0, now - time) : null;
}

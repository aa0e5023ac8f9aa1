import type { ClaimedJob, JobResult, NewJob, SqlParams } from '@bellhop/contracts';
import { rowChunks } from '@bellhop/store';
import { rankAt } from '../job-rank.js';
import { laneOf } from '../lane.js';
import type { JobHead } from '../sql/enqueue-jobs.js';
import { toOptionsText } from '../sql/job-columns.js';

// What the SQL job store hands to its statements, as JSON. Pure.

/** Characters that a job takes in a statement, about. */
export function charactersOf({ dataText, metadataText }: NewJob): number {
  return dataText.length + (metadataText?.length ?? 0);
}

/** The `heads` parameters of statements that insert the jobs: as many statements as their number and length ask for. */
export function toHeads(jobs: readonly NewJob[], now: number): string[] {
  return rowChunks(jobs, charactersOf).map((chunk) => JSON.stringify(headsOf(chunk, now)));
}

/** Jobs that are published together are mostly alike: each joins the head before it, or begins another. */
function headsOf(jobs: readonly NewJob[], now: number): JobHead[] {
  const heads: (JobHead & { readonly jobs: (string | number | null)[][] })[] = [];
  let last: NewJob | undefined;
  for (const job of jobs) {
    if (!last || !alike(last, job, now)) {
      heads.push({
        organization_id: job.organizationId,
        queue: job.queue,
        status: job.dueAt <= now ? 'pending' : 'scheduled',
        lane: laneOf(job.organizationId, job.groupKey),
        group_limit: job.groupKey === null ? null : job.groupConcurrency,
        priority: job.priority,
        max_attempts: job.maxAttempts,
        jobs: [],
      });
      last = job;
    }
    heads.at(-1)?.jobs.push(fieldsOf(job));
  }
  return heads;
}

/** The params of the statement that inserts one job. */
export function toValues(job: NewJob, now: number): SqlParams {
  return {
    now,
    organizationId: job.organizationId,
    queue: job.queue,
    status: job.dueAt <= now ? 'pending' : 'scheduled',
    lane: laneOf(job.organizationId, job.groupKey),
    groupLimit: job.groupKey === null ? null : job.groupConcurrency,
    priority: job.priority,
    maxAttempts: job.maxAttempts,
    id: job.id,
    dueAt: job.dueAt,
    rankAt: rankAt(job),
    data: job.dataText,
    options: toOptionsText(job),
  };
}

function alike(a: NewJob, b: NewJob, now: number): boolean {
  return (
    a.queue === b.queue &&
    a.organizationId === b.organizationId &&
    a.groupKey === b.groupKey &&
    a.groupConcurrency === b.groupConcurrency &&
    a.priority === b.priority &&
    a.maxAttempts === b.maxAttempts &&
    a.dueAt <= now === b.dueAt <= now
  );
}

function fieldsOf(job: NewJob): (string | number | null)[] {
  const fields = [job.id, job.dueAt, job.dataText];
  const options = toOptionsText(job);
  if (job.idempotencyKey !== null) return [...fields, options, job.idempotencyKey, job.idempotencyUntil];
  return options === null ? fields : [...fields, options];
}

export interface KeyRow {
  readonly place: number;
  readonly organization_id: string;
  readonly queue: string;
  readonly token: string;
}

/** The idempotency keys among the jobs, each with its place. */
export function keysOf(jobs: readonly NewJob[]): KeyRow[] {
  return jobs.flatMap(({ organizationId, queue, idempotencyKey }, place) =>
    idempotencyKey === null ? [] : [{ place, organization_id: organizationId, queue, token: idempotencyKey }],
  );
}

/**
 * Places of claims, cut into statements: in one, an id has one token. A call may name a job twice, by a claim that was lost and by the one it is
 * held by.
 */
export function oneTokenEach(claims: readonly ClaimedJob[]): number[][] {
  const sets: { places: number[]; tokens: Map<string, string> }[] = [];
  claims.forEach(({ id, claimToken }, place) => {
    let set = sets.find(({ tokens }) => (tokens.get(id) ?? claimToken) === claimToken);
    if (!set) {
      set = { places: [], tokens: new Map() };
      sets.push(set);
    }
    set.places.push(place);
    set.tokens.set(id, claimToken);
  });
  return sets.map(({ places }) => places);
}

export interface AckRow {
  readonly id: string;
  readonly token: string;
  readonly status: string;
  readonly uncounted: 0 | 1;
  readonly due_at: number | null;
  readonly error: string | null;
}

/** An outcome as the general statement takes it. */
export function toAck({ id, claimToken }: ClaimedJob, result: JobResult, now: number): AckRow {
  const again = result.outcome === 'retry' || result.outcome === 'snooze' ? result.dueAt : null;
  return {
    id,
    token: claimToken,
    status: again === null ? result.outcome : again <= now ? 'pending' : 'scheduled',
    uncounted: result.outcome === 'snooze' ? 1 : 0,
    due_at: again,
    error: result.outcome === 'retry' || result.outcome === 'dead' ? result.error : null,
  };
}

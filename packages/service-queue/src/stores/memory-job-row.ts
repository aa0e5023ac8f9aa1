import type { ClaimedJob, Job, JobResult, NewJob } from '@bellhop/contracts';
import { laneOf } from '../lane.js';

// What becomes of one row. Pure: a row is never changed, only replaced.

/** A job as the memory store keeps it. Data and metadata stay JSON text, so what is handed out is always a copy. */
export interface JobRow extends Omit<Job, 'data' | 'metadata'>, Pick<NewJob, 'dataText' | 'metadataText' | 'groupConcurrency'> {
  readonly lane: string;
  readonly claimToken: string | null;
  /** Whether the idempotency key is its own. */
  readonly holdsKey: boolean;
  readonly idempotencyUntil: number | null;
}

export type KeyOwner = Pick<NewJob, 'organizationId' | 'queue' | 'idempotencyKey'>;

/** JSON, because no separator is safe inside names. Null without a key. */
export function keyOf({ organizationId, queue, idempotencyKey }: KeyOwner): string | null {
  return idempotencyKey === null ? null : JSON.stringify([organizationId, queue, idempotencyKey]);
}

/** Scheduled or pending, by whether its due time has come. */
export function waitingStatus(dueAt: number, now: number): 'scheduled' | 'pending' {
  return dueAt <= now ? 'pending' : 'scheduled';
}

/** @param createdAt when it was published; `now` is later for what waited for a commit. */
export function newRow(job: NewJob, createdAt: number, now: number): JobRow {
  return {
    ...job,
    status: waitingStatus(job.dueAt, now),
    attempts: 0,
    progress: 0,
    claimedBy: null,
    lockedUntil: null,
    claimToken: null,
    lastError: null,
    createdAt,
    updatedAt: createdAt,
    finishedAt: null,
    lane: laneOf(job.organizationId, job.groupKey),
    holdsKey: job.idempotencyKey !== null,
  };
}

/** The row under a claim: the attempt begins here. */
export function taken(row: JobRow, claim: Pick<JobRow, 'claimedBy' | 'claimToken' | 'lockedUntil'>, now: number): JobRow {
  return { ...row, ...claim, status: 'running', attempts: row.attempts + 1, updatedAt: now };
}

/** The row with its claim taken off, in a status it waits in. */
export function unclaimed(row: JobRow, status: 'scheduled' | 'pending', now: number): JobRow {
  return { ...row, status, claimedBy: null, lockedUntil: null, claimToken: null, updatedAt: now };
}

/** The row at its end. Only a completed one keeps its key, until the window ends. */
export function ended(row: JobRow, status: 'completed' | 'dead' | 'cancelled', now: number): JobRow {
  const holdsKey = status === 'completed' && row.holdsKey && now < (row.idempotencyUntil as number);
  return { ...row, status, claimedBy: null, lockedUntil: null, claimToken: null, holdsKey, updatedAt: now, finishedAt: now };
}

/** The row as the outcome of its attempt leaves it. */
export function settled(held: JobRow, result: JobResult, now: number): JobRow {
  switch (result.outcome) {
    case 'completed':
      return ended(held, 'completed', now);
    case 'dead':
      return { ...ended(held, 'dead', now), lastError: result.error };
    case 'retry':
      return { ...unclaimed(held, waitingStatus(result.dueAt, now), now), dueAt: result.dueAt, lastError: result.error };
    case 'snooze':
      return { ...unclaimed(held, waitingStatus(result.dueAt, now), now), dueAt: result.dueAt, attempts: held.attempts - 1 };
  }
}

/** A dead row that waits again. */
export function replayed(row: JobRow, now: number): JobRow {
  return { ...unclaimed(row, 'pending', now), attempts: 0, dueAt: now, finishedAt: null };
}

export function isWaiting({ status }: JobRow): boolean {
  return status === 'scheduled' || status === 'pending';
}

/** Null: any. */
export function isIn(row: JobRow, queue: string | null, organizationId: string | null): boolean {
  return (queue === null || row.queue === queue) && (organizationId === null || row.organizationId === organizationId);
}

export function toJob(row: JobRow): Job {
  const { dataText, metadataText, lane: _lane, claimToken: _token, holdsKey: _holds, ...rest } = row;
  const { idempotencyUntil: _until, groupConcurrency: _cap, ...job } = rest;
  return { ...job, data: JSON.parse(dataText) as unknown, metadata: metadataText === null ? null : JSON.parse(metadataText) };
}

export function toClaimed(row: JobRow): ClaimedJob {
  return {
    ...toJob(row),
    status: 'running',
    claimToken: row.claimToken as string,
    lockedUntil: row.lockedUntil as number,
    lane: row.lane,
    groupConcurrency: row.groupConcurrency,
  };
}

import type { FailedJobFilter, JobClaimOptions, JobResult, JobScope, JobSurveyOptions, JobSweepOptions } from '@bellhop/contracts';
import { errorMessage, InputError } from '@bellhop/kernel';
import {
  checkName,
  checkPageLimit,
  checkPositive,
  checkText,
  checkTime,
  checkWhole,
  decodeCursor,
  type PagePosition,
  stripText,
} from '@bellhop/store';

// What a job store is asked, checked the same for every store. Jobs themselves come checked from `job-input.ts`.

/** One queue of a claim, with every default filled in. */
export interface CheckedQueueClaim {
  readonly queue: string;
  readonly limit: number;
  readonly leaseMs: number;
  /** Null: all. */
  readonly organizationId: string | null;
  /** Null: begin with the first lane. */
  readonly afterLane: string | null;
}

export interface CheckedJobClaim {
  readonly workerId: string;
  readonly queues: readonly CheckedQueueClaim[];
  readonly now: number;
}

/** @throws InputError `INVALID_INPUT`; the path names the option. */
export function checkJobClaim({ workerId, queues, now }: JobClaimOptions, clockNow: number): CheckedJobClaim {
  const seen = new Set<string>();
  return {
    workerId: checkName(workerId, 'workerId'),
    queues: queues.map(({ queue, limit, leaseMs, organizationId, afterLane }, index) => {
      const path = `queues[${index}]`;
      const checked = {
        queue: checkName(queue, `${path}.queue`),
        limit: checkWhole(limit, `${path}.limit`, { least: 1, most: 1_000 }),
        leaseMs: checkPositive(leaseMs, `${path}.leaseMs`),
        organizationId: organizationId === undefined ? null : checkName(organizationId, `${path}.organizationId`),
        afterLane: afterLane === undefined ? null : checkText(afterLane, `${path}.afterLane`),
      };
      refuseRepeat(seen, JSON.stringify([checked.queue, checked.organizationId]), path);
      return checked;
    }),
    now: timeOr(now, clockNow),
  };
}

function refuseRepeat(seen: Set<string>, key: string, path: string): void {
  if (seen.has(key)) {
    throw new InputError(
      'INVALID_INPUT',
      `${path}: this queue is in the claim already, for the same organizations; claim it once, with the sum of the limits.`,
      { path },
    );
  }
  seen.add(key);
}

/** One queue of a survey. */
export interface CheckedQueue {
  readonly queue: string;
  /** Null: all. */
  readonly organizationId: string | null;
}

/** @throws InputError `INVALID_INPUT`. */
export function checkJobSurvey({ queues, now }: JobSurveyOptions, clockNow: number): { queues: readonly CheckedQueue[]; now: number } {
  return {
    queues: queues.map(({ queue, organizationId }, index) => ({
      queue: checkName(queue, `queues[${index}].queue`),
      organizationId: organizationId === undefined ? null : checkName(organizationId, `queues[${index}].organizationId`),
    })),
    now: timeOr(now, clockNow),
  };
}

/**
 * What an ack writes. The error comes from handlers and is fitted, whatever it is, not refused: an ack that cannot be written makes a job that
 * ran be run again.
 *
 * @param path of the result, for the message: `acks[2].result`.
 * @throws InputError `INVALID_INPUT`.
 */
export function checkJobResult(result: JobResult, path: string): JobResult {
  switch (result.outcome) {
    case 'completed':
      return { outcome: 'completed' };
    case 'dead':
      return { outcome: 'dead', error: errorText(result.error) };
    case 'retry':
      return { outcome: 'retry', error: errorText(result.error), dueAt: checkTime(result.dueAt, `${path}.dueAt`) };
    case 'snooze':
      return { outcome: 'snooze', dueAt: checkTime(result.dueAt, `${path}.dueAt`) };
    default:
      throw new InputError('INVALID_INPUT', `${path}.outcome: completed, retry, dead and snooze are allowed.`, { path: `${path}.outcome` });
  }
}

function errorText(error: unknown): string {
  return stripText(errorMessage(error ?? ''));
}

/** @returns a whole number from 0 to 100, rounded down: 100 is said of what is done. @throws InputError `INVALID_INPUT`. */
export function checkProgress(progress: unknown): number {
  if (typeof progress === 'number' && progress >= 0 && progress <= 100) return Math.floor(progress) + 0;
  const given = typeof progress === 'number' ? String(progress) : `a value of type ${typeof progress}`;
  throw new InputError('INVALID_INPUT', `progress: ${given} given; a number from 0 to 100 is needed.`, { path: 'progress' });
}

/** The bounds of a promote or a reclaim. @throws InputError `INVALID_INPUT`. */
export function checkBatch(
  { now, limit }: { readonly now?: number; readonly limit: number },
  clockNow: number,
): { now: number; limit: number } {
  return { limit: checkWhole(limit, 'limit', { least: 1, most: 10_000 }), now: timeOr(now, clockNow) };
}

/** @returns the organization, null for all. @throws InputError `INVALID_INPUT`. */
export function checkScope({ organizationId }: JobScope = {}): string | null {
  return organizationId === undefined ? null : checkName(organizationId, 'organizationId');
}

/** @throws InputError `INVALID_INPUT`. */
export function checkSweepTimes({ completedBefore, deadBefore }: Omit<JobSweepOptions, 'limit'>): Omit<JobSweepOptions, 'limit'> {
  return { completedBefore: checkTime(completedBefore, 'completedBefore'), deadBefore: checkTime(deadBefore, 'deadBefore') };
}

/** @throws InputError `INVALID_INPUT`. */
export function checkSweep(options: JobSweepOptions): JobSweepOptions {
  return { ...checkSweepTimes(options), limit: checkWhole(options.limit, 'limit', { least: 1, most: 10_000 }) };
}

/** Which dead jobs a list is of, and which page of it. */
export interface CheckedFailedFilter {
  /** Null: all. */
  readonly organizationId: string | null;
  /** Null: all. */
  readonly queue: string | null;
  readonly limit: number;
  readonly after: PagePosition | null;
}

/** Its texts come from HTTP queries. @throws InputError `INVALID_INPUT`; the path names the field. */
export function checkFailedFilter({ organizationId, queue, cursor, limit }: FailedJobFilter): CheckedFailedFilter {
  return {
    organizationId: organizationId === undefined ? null : checkName(organizationId, 'organizationId'),
    queue: queue === undefined ? null : checkName(queue, 'queue'),
    limit: checkPageLimit(limit),
    after: cursor === undefined ? null : decodeCursor(cursor),
  };
}

function timeOr(now: number | undefined, clockNow: number): number {
  return now === undefined ? clockNow : checkTime(now, 'now');
}

import { token } from '@bellhop/kernel';
import type { ClaimedJob, Job, JobResult, NewJob } from './job.js';
import type { TransactionOption } from './transaction.js';

/** `lost`: the claim was no longer held, and nothing was written. Normal, so it is data. */
export type JobClaimOutcome = 'acked' | 'lost';

export interface Enqueued {
  /** The job's id, or that of the job which holds the idempotency key. */
  readonly id: string;
  /** Null inside a remote libSQL transaction, where it is not known before the commit. */
  readonly deduped: boolean | null;
}

/** One queue of a claim. */
export interface QueueClaim {
  readonly queue: string;
  /** Jobs at most: 1 to 1 000. */
  readonly limit: number;
  /** Milliseconds until the claims expire unless renewed. */
  readonly leaseMs: number;
  /** Only this organization's jobs. Default all. */
  readonly organizationId?: string;
  /** The lane served last, from its `ClaimedJob`: the round robin begins with the one after it. Default: from the first. */
  readonly afterLane?: string;
}

export interface JobClaimOptions {
  readonly workerId: string;
  /** Each queue at most once for each organization filter. */
  readonly queues: readonly QueueClaim[];
  /** Epoch milliseconds; default: the store's clock. */
  readonly now?: number;
}

export interface JobSurveyOptions {
  readonly queues: readonly { readonly queue: string; readonly organizationId?: string }[];
  readonly now?: number;
}

/** What there is to do, from one read whose cost does not grow with the backlog. Paused queues and groups at their cap are left out of `claimable`. */
export interface JobSurvey {
  /** A lease has expired. */
  readonly expired: boolean;
  /** A scheduled job is due. */
  readonly promotable: boolean;
  /** The queues of the call that hold a job which may be claimed. */
  readonly claimable: readonly string[];
  /** Epoch milliseconds of the earliest scheduled job that is due later. */
  readonly nextDueAt?: number;
  /** Epoch milliseconds at which the next live lease expires. */
  readonly nextExpiryAt?: number;
}

export interface QueueStats {
  readonly queue: string;
  readonly paused: boolean;
  readonly scheduled: number;
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly dead: number;
  readonly cancelled: number;
  /** Milliseconds the oldest claimable job has waited; null when there is none. */
  readonly oldestPendingMs: number | null;
  /** Milliseconds since the oldest dead job died; null when there is none. */
  readonly oldestDeadMs: number | null;
}

export interface FailedJobFilter {
  readonly organizationId?: string;
  readonly queue?: string;
  /** From a page's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200, default 50. */
  readonly limit?: number;
}

export interface JobPage {
  /** Newest first. */
  readonly items: Job[];
  readonly nextCursor: string | null;
  /** Rows that match, this page or not. */
  readonly total: number;
}

/** Whose job an id names; without an organization, anybody's. */
export interface JobScope {
  readonly organizationId?: string;
}

/** What retention removes: final jobs that ended before these epoch milliseconds. */
export interface JobSweepOptions {
  readonly completedBefore: number;
  readonly deadBefore: number;
  /** Rows at most: 1 to 10 000. */
  readonly limit: number;
}

/**
 * The durable rows between `publish` and a handler. Every outcome is a compare-and-set on the claim token. One conformance suite
 * certifies it.
 */
export interface JobStore {
  /** False: nothing survives the process. */
  readonly durable: boolean;

  /** All or nothing. Results in the order of the jobs. A key that a live holder has, within its window, gives the holder's id and stores nothing. */
  enqueue(jobs: readonly NewJob[], options?: TransactionOption): Promise<Enqueued[]>;
  /**
   * Takes pending jobs: for each queue in turn over its lanes, the groups of its organizations; within a lane by due time and priority, a point
   * being worth 6 s, then by id. Exclusive; counts the attempt. Leaves out paused queues and groups at their cap, exactly, whoever else claims.
   * Rows visited are a small multiple of those claimed.
   */
  claim(options: JobClaimOptions): Promise<ClaimedJob[]>;
  /** Outcomes in the order of the acks. */
  ack(acks: readonly { readonly claim: ClaimedJob; readonly result: JobResult }[]): Promise<JobClaimOutcome[]>;
  /** Extends held leases to now + `leaseMs`. */
  renew(claims: readonly { readonly claim: ClaimedJob; readonly leaseMs: number }[]): Promise<JobClaimOutcome[]>;
  /** Hands back claims that never started: pending again, the attempt not counted. */
  release(claims: readonly ClaimedJob[]): Promise<JobClaimOutcome[]>;
  /** Notes how far held jobs are. */
  progress(claim: ClaimedJob, progress: number): Promise<JobClaimOutcome>;

  survey(options: JobSurveyOptions): Promise<JobSurvey>;
  /** Makes due jobs claimable, at most `limit`. @returns rows. */
  promote(options: { readonly now?: number; readonly limit: number }): Promise<number>;
  /** Returns expired leases to pending, the attempt counted; those at their limit die of `lease expired`. At most `limit`. @returns rows. */
  reclaim(options: { readonly now?: number; readonly limit: number }): Promise<number>;

  get(id: string, scope?: JobScope): Promise<Job | null>;
  stats(queue?: string, scope?: JobScope): Promise<QueueStats[]>;
  /** Newest first. */
  listFailed(filter?: FailedJobFilter): Promise<JobPage>;
  /** Stored: holds for every process and survives a restart. Running jobs end. */
  setPaused(queue: string, paused: boolean): Promise<void>;
  /** scheduled or pending → cancelled. False: there is no such job, or it is past that. */
  cancel(id: string, scope?: JobScope): Promise<boolean>;
  /** Moves a scheduled or pending job. False as for `cancel`. */
  reschedule(id: string, dueAt: number, scope?: JobScope): Promise<boolean>;
  /** dead → pending, attempts 0. False: there is no such dead job. */
  replay(id: string, scope?: JobScope): Promise<boolean>;
  /** @returns rows. */
  replayAll(queue: string, scope?: JobScope): Promise<number>;
  /** Removes scheduled and pending jobs. @returns rows. */
  purge(queue: string, scope?: JobScope): Promise<number>;
  /** Removes a dead job. False: there is none. */
  purgeFailed(id: string, scope?: JobScope): Promise<boolean>;
  /** Retention, in bounded batches. @returns rows removed. */
  sweep(options: JobSweepOptions): Promise<number>;
  /** Whether `sweep` would find something: one read. */
  sweepable(options: Omit<JobSweepOptions, 'limit'>): Promise<boolean>;
}

export const JOB_STORE = token<JobStore>('JOB_STORE');

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
  /** A lease has expired, of whichever queue. */
  readonly expired: boolean;
  /** A scheduled job is due, of whichever queue. */
  readonly promotable: boolean;
  /** The queues of the call that hold a job which may be claimed, each once. */
  readonly claimable: readonly string[];
  /** Epoch milliseconds of the earliest scheduled job that is due later, of whichever queue. */
  readonly nextDueAt?: number;
  /** Epoch milliseconds at which the next live lease expires. */
  readonly nextExpiryAt?: number;
  /**
   * Epoch milliseconds of the earliest fire time of an unpaused schedule, past or future; a run that waited and may go counts with its own. Absent
   * where nothing will fire, and from a store that keeps no schedules.
   */
  readonly nextFireAt?: number;
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
  /** Milliseconds since the pending job that is due longest was due; null when there is none. */
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
  /** Those that died last first. */
  readonly items: Job[];
  readonly nextCursor: string | null;
  /** Rows that match, this page or not. */
  readonly total: number;
}

/** Whose job an id names; without an organization, anybody's. */
export interface JobScope {
  readonly organizationId?: string;
}

/** What retention removes: final jobs that ended before these epoch milliseconds. A completed job stays as long as its idempotency key holds. */
export interface JobSweepOptions {
  /** For completed and cancelled ones. */
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

  /**
   * All or nothing. Results in the order of the jobs. A due job is pending at once, any other scheduled. A job whose key another one holds is
   * not stored: its result is the holder's id. A key holds while its job is scheduled, pending or running, and once it is completed until
   * `idempotencyUntil`.
   */
  enqueue(jobs: readonly NewJob[], options?: TransactionOption): Promise<Enqueued[]>;
  /**
   * Takes pending jobs and gives them in the order they were taken: queue by queue, in turn over its lanes, the groups of its organizations;
   * within a lane by due time and priority, a point being worth 6 s, then by id. Exclusive; counts the attempt. Leaves out paused queues and
   * groups at their cap, exactly, whoever else claims. Of a queue with several lanes it may take fewer than `limit` while more wait, but not
   * fewer than one of each lane. Rows visited are a small multiple of those claimed.
   */
  claim(options: JobClaimOptions): Promise<ClaimedJob[]>;
  /** Outcomes in the order of the acks. */
  ack(acks: readonly { readonly claim: ClaimedJob; readonly result: JobResult }[]): Promise<JobClaimOutcome[]>;
  /** Extends held leases to now + `leaseMs`. */
  renew(claims: readonly { readonly claim: ClaimedJob; readonly leaseMs: number }[]): Promise<JobClaimOutcome[]>;
  /** Hands back claims that never started: pending again, the attempt not counted. */
  release(claims: readonly ClaimedJob[]): Promise<JobClaimOutcome[]>;
  /** Notes how far a held job is: 0 to 100, kept as a whole number, rounded down. */
  progress(claim: ClaimedJob, progress: number): Promise<JobClaimOutcome>;

  survey(options: JobSurveyOptions): Promise<JobSurvey>;
  /** Makes due jobs claimable, the earliest first, at most `limit`: 1 to 10 000. @returns rows. */
  promote(options: { readonly now?: number; readonly limit: number }): Promise<number>;
  /** Returns expired leases to pending, the attempt counted and the error `lease expired`; at their last attempt they die of it. The earliest first, at most `limit`: 1 to 10 000. @returns rows. */
  reclaim(options: { readonly now?: number; readonly limit: number }): Promise<number>;

  get(id: string, scope?: JobScope): Promise<Job | null>;
  /** By queue, those that hold a job of the scope. Those that are paused, too, where no organization is named, or the queue is. */
  stats(queue?: string, scope?: JobScope): Promise<QueueStats[]>;
  /** Those that died last first. */
  listFailed(filter?: FailedJobFilter): Promise<JobPage>;
  /** Stored: holds for every process and survives a restart. Running jobs end. */
  setPaused(queue: string, paused: boolean): Promise<void>;
  /** scheduled or pending → cancelled. False: there is no such job, or it is past that. */
  cancel(id: string, scope?: JobScope): Promise<boolean>;
  /** Moves a scheduled or pending job: pending when that time has come, scheduled before. False as for `cancel`. */
  reschedule(id: string, dueAt: number, scope?: JobScope): Promise<boolean>;
  /** dead → pending, attempts 0, due at once, so that it does not go before all that was published since it died. Its idempotency key is not its own any more. False: there is no such dead job. */
  replay(id: string, scope?: JobScope): Promise<boolean>;
  /** @returns rows. */
  replayAll(queue: string, scope?: JobScope): Promise<number>;
  /** Removes scheduled and pending jobs. @returns rows. */
  purge(queue: string, scope?: JobScope): Promise<number>;
  /** Removes a dead job. False: there is none. */
  purgeFailed(id: string, scope?: JobScope): Promise<boolean>;
  /** Retention, in bounded batches. @returns rows removed. */
  sweep(options: JobSweepOptions): Promise<number>;
  /**
   * Whether `sweep` has work: one read. True whenever it would remove a job; it may be true as well for idempotency keys of completed jobs whose
   * windows are over, which a sweep takes from them, as many as its limit. Sweeps make it false.
   */
  sweepable(options: Omit<JobSweepOptions, 'limit'>): Promise<boolean>;
}

export const JOB_STORE = token<JobStore>('JOB_STORE');

import { type Logger, token } from '@bellhop/kernel';
import type { Job, JobBackoff } from './job.js';
import type { Enqueued, FailedJobFilter, JobPage, JobScope, QueueStats } from './job-store.js';
import type { Schedule, ScheduleRun, ScheduleSpec } from './schedule.js';
import type { TransactionOption } from './transaction.js';

export interface PublishOptions {
  /** Default `default`. */
  readonly organizationId?: string;
  /** Milliseconds until it is due. 0 to 31 536 000 000. Not with `runAt`. */
  readonly delayMs?: number;
  /** Epoch milliseconds at which it is due. */
  readonly runAt?: number;
  /** Lower first: each point is a head start of 6 s, so urgent jobs go first and none waits for ever. A whole number, 0 to 1 000 000, default 100. */
  readonly priority?: number;
  /** 1 to 1 000, default 3. */
  readonly maxAttempts?: number;
  readonly backoff?: Partial<JobBackoff>;
  /** One live job per organization, queue and key: a repeat gives the first one's id. 1 to 255 characters. */
  readonly idempotencyKey?: string;
  /** Milliseconds from publish for which the key of a completed job still holds; one that waits or runs always holds it, one that is dead or cancelled does not. 1 to 31 536 000 000, default 86 400 000. */
  readonly idempotencyWindowMs?: number;
  /** Jobs of a queue are served in turn over its organizations and their groups. 1 to 255 characters. */
  readonly groupKey?: string;
  /** Jobs of the group that may run at once, in the whole store: 1 to 10 000. Only with `groupKey`. Default: no limit. */
  readonly groupConcurrency?: number;
  /** Milliseconds an attempt may take; then its signal aborts and it counts as failed. 0: no limit. 0 to 31 536 000 000, default 3 600 000. */
  readonly timeoutMs?: number;
  /** A JSON object that handlers see. At most 16 KiB. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** One job as its handler sees it. */
export interface JobMessage<Data = unknown> {
  readonly id: string;
  readonly queue: string;
  readonly organizationId: string;
  readonly data: Data;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** 1 for the first. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly groupKey: string | null;
  readonly createdAt: number;
}

export interface JobContext {
  /** Aborts when the lease is lost, the time is up, or the worker's stop reaches its deadline. What is done after that changes nothing. */
  readonly signal: AbortSignal;
  readonly attempt: number;
  readonly logger: Logger;
  /** Renews the lease at once; the worker does so by itself every third of it. False: the claim is lost. */
  heartbeat(): Promise<boolean>;
  /** 0 to 100. False: the claim is lost. */
  progress(percent: number): Promise<boolean>;
  /** Ends the attempt without counting it; the job is due again after so many milliseconds. Throws, so nothing after it runs. */
  snooze(delayMs: number): never;
}

/** Returns: completed. Throws: tried again after its backoff. Throws a `PermanentError`: dead at once. */
export type JobHandler<Data = unknown> = (message: JobMessage<Data>, ctx: JobContext) => unknown;

/** What came of one job of a batch; those not named are completed. */
export type BatchItemOutcome =
  | { readonly id: string; readonly error: unknown; readonly permanent?: boolean }
  | { readonly id: string; readonly snoozeMs: number };

/** Gets up to `batch` jobs of a queue at once. Throws: all of them failed. */
export type BatchJobHandler<Data = unknown> = (
  messages: readonly JobMessage<Data>[],
  ctx: Omit<JobContext, 'attempt' | 'progress' | 'snooze'>,
) => Promise<readonly BatchItemOutcome[] | void> | readonly BatchItemOutcome[] | void;

export interface SubscribeOptions {
  /** Jobs (or batches) that run at once. 1 to 1 000, default 10. */
  readonly concurrency?: number;
  /** Milliseconds after which the job of a dead process is taken over; a live one renews. 1 000 to 3 600 000, default 30 000. */
  readonly leaseMs?: number;
  /** Only this organization's jobs. Default all. */
  readonly organizationId?: string;
}

export interface Subscription {
  readonly queue: string;
  /** Claims no more for it; running jobs end. Resolves when they have. */
  unsubscribe(): Promise<void>;
}

/**
 * Durable jobs. Subscribers of one queue compete: a job goes to one. Calls made before the store is ready wait for it.
 *
 * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE` on malformed input: nothing was written.
 */
export interface IQueueService {
  publish(queue: string, data: unknown, options?: PublishOptions, trx?: TransactionOption): Promise<Enqueued>;
  /** All or nothing, in the order given. At most 10 000. */
  publishMany(
    queue: string,
    jobs: readonly { readonly data: unknown; readonly options?: PublishOptions }[],
    trx?: TransactionOption,
  ): Promise<Enqueued[]>;
  /** Batches of 1 to 1 000. */
  subscribe<Data = unknown>(
    queue: string,
    handler: BatchJobHandler<Data>,
    options: SubscribeOptions & { readonly batch: number },
  ): Subscription;
  subscribe<Data = unknown>(queue: string, handler: JobHandler<Data>, options?: SubscribeOptions): Subscription;
  /** Ends every subscription of the queue in this process. */
  unsubscribe(queue: string): Promise<void>;
  /** Jobs that are scheduled or pending. */
  getQueueSize(queue: string, scope?: JobScope): Promise<number>;
  stats(queue?: string, scope?: JobScope): Promise<QueueStats[]>;
  pause(queue: string): Promise<void>;
  resume(queue: string): Promise<void>;
  get(id: string, scope?: JobScope): Promise<Job | null>;
  /** False: it runs, or has ended. @throws BellhopError `JOB_NOT_FOUND`. */
  cancel(id: string, scope?: JobScope): Promise<boolean>;
  /** @param at epoch milliseconds. False as for `cancel`. @throws BellhopError `JOB_NOT_FOUND`. */
  reschedule(id: string, at: number, scope?: JobScope): Promise<boolean>;
  listFailed(filter?: FailedJobFilter): Promise<JobPage>;
  /** @throws BellhopError `JOB_NOT_FOUND`: there is no such dead job. */
  replay(id: string, scope?: JobScope): Promise<void>;
  /** @returns jobs. */
  replayAll(queue: string, scope?: JobScope): Promise<number>;
  /** Removes what has not started. @returns jobs. */
  purge(queue: string, scope?: JobScope): Promise<number>;
  /** @throws BellhopError `JOB_NOT_FOUND`. */
  purgeFailed(id: string, scope?: JobScope): Promise<void>;

  /**
   * Makes or replaces the schedule of that name: 1 to 255 characters, one namespace for all organizations. The same spec once more changes nothing,
   * so a process may state its schedules at every start. With the same timing the next fire time stays, also one that was missed; another timing
   * counts from here. Whether it is paused, its history and its waiting runs stay. With a scope another organization's is not replaced but refused;
   * in the calls below it is not found.
   *
   * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`; the path names the field: `spec.timing.cron`.
   */
  schedule(name: string, spec: ScheduleSpec, scope?: JobScope): Promise<Schedule>;
  /** Its jobs and its history stay; runs that wait are left out. False: there was none. */
  unschedule(name: string, scope?: JobScope): Promise<boolean>;
  /** By name. One that will not fire again stays, with `nextFireAt` null. */
  listSchedules(scope?: JobScope): Promise<Schedule[]>;
  /** It does not fire until it is resumed, in no process. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  pauseSchedule(name: string, scope?: JobScope): Promise<void>;
  /** Fire times that passed meanwhile go by the misfire policy. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  resumeSchedule(name: string, scope?: JobScope): Promise<void>;
  /** The next fire times, epoch milliseconds, as if it were not paused. @param count 1 to 100, default 5. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  previewSchedule(name: string, count?: number, scope?: JobScope): Promise<number[]>;
  /** The latest fire time first; of a schedule that was removed, too, unless a scope is named. @param limit 1 to 200, default 50. */
  scheduleRuns(name: string, limit?: number, scope?: JobScope): Promise<ScheduleRun[]>;
  /** Publishes a schedule's job now, whatever its policies and paused or not. It is no run of it, so it has no place in its history. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  trigger(name: string, scope?: JobScope): Promise<Enqueued>;
}

export const QUEUE = token<IQueueService>('QUEUE');

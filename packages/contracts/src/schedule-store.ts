import { token } from '@bellhop/kernel';
import type { NewJob } from './job.js';
import type { JobScope } from './job-store.js';
import type { Schedule, ScheduleRun } from './schedule.js';

/** A schedule as its store knows it. */
export interface StoredSchedule extends Schedule {
  /** Another one after each change and each fire. Who writes names the one it read, and has lost when it is not there any more. */
  readonly revision: string;
}

/** A schedule of which a fire time has come, or whose first waiting run may go. */
export interface DueSchedule extends StoredSchedule {
  /** The job it published last, while that is scheduled, pending or running; else null. */
  readonly unfinishedJobId: string | null;
  /** Fire times of its waiting runs, the earliest first. */
  readonly waiting: readonly number[];
}

/** A run to be noted: published with its job, or not. */
export type NewScheduleRun =
  | { readonly fireAt: number; readonly outcome: 'published'; readonly reason: string | null; readonly job: NewJob }
  | { readonly fireAt: number; readonly outcome: 'skipped' | 'waiting'; readonly reason: string };

/** What becomes of a schedule that was due. */
export interface ScheduleFire {
  /** As `due` gave it. */
  readonly schedule: DueSchedule;
  /** Null: it will not fire again. */
  readonly nextFireAt: number | null;
  /** Each fire time at most once. A published or skipped one may be one that waits. */
  readonly runs: readonly NewScheduleRun[];
}

/** `lost`: the schedule was changed, paused, removed or fired by somebody else since `due`, and nothing was written. Normal, so it is data. */
export type ScheduleFireOutcome = 'fired' | 'lost';

/** Runs older than this go, but those that wait. */
export interface RunSweepOptions {
  /** Epoch milliseconds. */
  readonly createdBefore: number;
  /** Rows at most: 1 to 10 000. */
  readonly limit: number;
}

/**
 * The rows of schedules and their runs, beside the jobs that they publish. One conformance suite certifies it, together with the job store
 * it publishes into, whose survey tells the earliest fire time.
 */
export interface ScheduleStore {
  /** False: nothing survives the process. */
  readonly durable: boolean;
  /**
   * Makes or replaces the schedule of that name. Its waiting runs, its last fire time and `createdAt` stay.
   *
   * @param schedule all of it but what the store notes itself.
   * @param revision the one that was read; null: there was none.
   * @returns false: it is another by now, and nothing was written.
   */
  save(schedule: Pick<Schedule, 'name' | 'organizationId' | 'spec' | 'nextFireAt'>, revision: string | null): Promise<boolean>;
  /** Its waiting runs become skipped; its history stays. False: there was none, or it is not of the scope. */
  remove(name: string, scope?: JobScope): Promise<boolean>;
  get(name: string): Promise<StoredSchedule | null>;
  /** By name. */
  list(scope?: JobScope): Promise<Schedule[]>;
  /** False: there is none of that name, or it is not of the scope. */
  setPaused(name: string, paused: boolean, scope?: JobScope): Promise<boolean>;
  /**
   * Unpaused schedules whose fire time has come, the earliest first, and those whose first waiting run may go, since the job they published last
   * has ended. Rows visited are a small multiple of those given.
   */
  due(options: { readonly now: number; readonly limit: number }): Promise<DueSchedule[]>;
  /**
   * In one transaction, for each whose revision is still the one of `due`: its next fire time, its runs, and the jobs of those that are published.
   * A fire time that has a run keeps it, and its job is not stored again, unless that run waits. Outcomes in the order of the fires.
   */
  fire(fires: readonly ScheduleFire[]): Promise<ScheduleFireOutcome[]>;
  /** The latest fire time first; of a schedule that was removed, too. @param limit 1 to 200. */
  runs(name: string, limit: number): Promise<ScheduleRun[]>;
  /** Retention, in bounded batches. @returns rows removed. */
  sweepRuns(options: RunSweepOptions): Promise<number>;
  /** Whether `sweepRuns` would find something: one read. */
  sweepableRuns(options: Omit<RunSweepOptions, 'limit'>): Promise<boolean>;
}

export const SCHEDULE_STORE = token<ScheduleStore>('SCHEDULE_STORE');

import type { JobStore, ReaperDuty, ScheduleStore } from '@bellhop/contracts';
import { inBatches, SWEEP_BATCH } from '@bellhop/reaper';
import { oldRun } from '../sql/schedule-runs.js';
import { sweepableJobs } from '../sql/sweep-jobs.js';

// What ended long ago goes, in pieces that no database notices: retention as duties of the reaper. Any number of processes may do it at once.

/** Milliseconds that things are kept once they have ended. */
export interface Retention {
  /** Completed and cancelled jobs. One whose idempotency key holds is kept until that is over. */
  readonly completedMs: number;
  readonly deadMs: number;
  /** The history of schedules. */
  readonly scheduleRunsMs: number;
}

export interface RetentionPorts {
  readonly jobs: () => JobStore;
  /** Undefined: there are none. */
  readonly schedules: () => ScheduleStore | undefined;
  /** Whether they are tables of the reaper's own store: then it asks in the statement that it asks anyway. */
  readonly inStore: { readonly jobs: boolean; readonly schedules: boolean };
}

export function retentionDuties(keep: Retention, { jobs, schedules, inStore }: RetentionPorts): ReaperDuty[] {
  const jobTimes = (now: number) => ({ completedBefore: before(now, keep.completedMs), deadBefore: before(now, keep.deadMs) });
  const runTimes = (now: number) => ({ createdBefore: before(now, keep.scheduleRunsMs) });
  return [
    {
      name: 'queue.retention',
      ...(inStore.jobs
        ? { question: sweepableJobs({ completedBefore: sqlBefore(keep.completedMs), deadBefore: sqlBefore(keep.deadMs) }, NOW) }
        : { hasWork: (now: number) => jobs().sweepable(jobTimes(now)) }),
      run({ now, signal }) {
        const times = jobTimes(now);
        return inBatches(
          signal,
          () => jobs().sweep({ ...times, limit: SWEEP_BATCH }),
          // A sweep that ends few jobs may have been busy with keys that are over, or found another process at them.
          () => jobs().sweepable(times),
        );
      },
    },
    {
      name: 'queue.schedule-history',
      ...(inStore.schedules
        ? { question: oldRun(sqlBefore(keep.scheduleRunsMs)) }
        : { hasWork: async (now: number) => (await schedules()?.sweepableRuns(runTimes(now))) ?? false }),
      run({ now, signal }) {
        const times = runTimes(now);
        return inBatches(
          signal,
          async () => (await schedules()?.sweepRuns({ ...times, limit: SWEEP_BATCH })) ?? 0,
          async () => (await schedules()?.sweepableRuns(times)) ?? false,
        );
      },
    },
  ];
}

const NOW = 'CAST(:now AS BIGINT)';
const sqlBefore = (ms: number) => `${NOW} - ${ms}`;
const before = (now: number, ms: number) => Math.max(0, now - ms);

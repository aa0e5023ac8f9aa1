import type {
  DueSchedule,
  JobScope,
  RunSweepOptions,
  Schedule,
  ScheduleFire,
  ScheduleFireOutcome,
  ScheduleRun,
  ScheduleSpec,
  ScheduleStore,
  Store,
  StoredSchedule,
} from '@bellhop/contracts';
import { type Random, systemRandom } from '@bellhop/kernel';
import { checkName, createClaimToken, rowChunks } from '@bellhop/store';
import { checkScope } from '../job-store-input.js';
import { laneOf } from '../lane.js';
import { checkDueOptions, checkRunSweep, checkRunSweepTime, checkRunsLimit } from '../schedules/schedule-store-input.js';
import { insertRuns, insertScheduledJobs, moveSchedules } from '../sql/fire-schedules.js';
import { toOptionsText } from '../sql/job-columns.js';
import { findOldRun, listRuns, type RunRecord, skipWaitingRuns, sweepRuns } from '../sql/schedule-runs.js';
import {
  type DueScheduleRecord,
  dueSchedules,
  getSchedule,
  insertSchedule,
  listSchedules,
  pauseSchedule,
  removeSchedule,
  replaceSchedule,
  type ScheduleRecord,
} from '../sql/schedules.js';
import { charactersOf } from './job-rows.js';
import { lastFireAfter, lastJobOf, UNSCHEDULED, waitingAfter } from './schedule-rows.js';
import { writeScope } from './write-scope.js';

const FIRE = { global: 'queue schedules: on a tick there is no caller, and schedules of all organizations come due together' };
const NAMED = { global: 'queue schedules: the caller named a schedule, whosever it is' };
const RETENTION = { global: 'queue retention: runs of long ago go, whosever they are' };

export interface SqlScheduleStoreOptions {
  /** The database of the job store that it publishes into: both must be one, for a fire is one transaction. */
  readonly store: Store;
  /** For revisions. Default: the machine's. */
  readonly random?: Random;
}

/** Schedules in a SQL database of any dialect, beside the jobs of a `SqlJobStore`. */
export class SqlScheduleStore implements ScheduleStore {
  readonly store: Store;
  readonly #random: Random;

  constructor({ store, random = systemRandom }: SqlScheduleStoreOptions) {
    this.store = store;
    this.#random = random;
  }

  get durable(): boolean {
    return this.store.durable;
  }

  async save(
    { name, organizationId, spec, nextFireAt }: Pick<Schedule, 'name' | 'organizationId' | 'spec' | 'nextFireAt'>,
    revision: string | null,
  ): Promise<boolean> {
    const params = {
      name: checkName(name, 'name'),
      organizationId: checkName(organizationId, 'organizationId'),
      spec: JSON.stringify(spec),
      nextFireAt,
      fresh: createClaimToken(this.#random),
      now: this.store.clock.now(),
    };
    // A replaced one may have been another organization's: the caller names the schedule, whosever it is.
    const { changes } =
      revision === null
        ? await this.store.write(insertSchedule, params, { organizationId })
        : await this.store.write(replaceSchedule, { ...params, seen: revision }, NAMED);
    return changes === 1;
  }

  async remove(name: string, scope?: JobScope): Promise<boolean> {
    checkName(name, 'name');
    const organizationId = checkScope(scope);
    const whose = writeScope(scope, NAMED.global);
    const [removed] = await this.store.batch([
      { statement: removeSchedule, params: { name, organizationId }, scope: whose },
      { statement: skipWaitingRuns, params: { name, reason: UNSCHEDULED }, scope: whose },
    ]);
    return removed?.changes === 1;
  }

  async get(name: string): Promise<StoredSchedule | null> {
    const [record] = await this.store.read<ScheduleRecord>(getSchedule, { name: checkName(name, 'name') });
    return record ? toStored(record) : null;
  }

  async list(scope?: JobScope): Promise<Schedule[]> {
    const records = await this.store.read<ScheduleRecord>(listSchedules, { organizationId: checkScope(scope) });
    return records.map(toSchedule);
  }

  async setPaused(name: string, paused: boolean, scope?: JobScope): Promise<boolean> {
    const organizationId = checkScope(scope);
    const whose = writeScope(scope, NAMED.global);
    const fresh = createClaimToken(this.#random);
    const params = { name: checkName(name, 'name'), organizationId, paused: paused ? 1 : 0, fresh, now: this.store.clock.now() };
    const { changes } = await this.store.write(pauseSchedule, params, whose);
    return changes === 1;
  }

  async due(options: { readonly now: number; readonly limit: number }): Promise<DueSchedule[]> {
    const records = await this.store.read<DueScheduleRecord>(dueSchedules, { ...checkDueOptions(options) });
    return records.map((record) => ({
      ...toStored(record),
      unfinishedJobId: record.unfinished,
      waiting: JSON.parse(record.waiting ?? '[]') as number[],
    }));
  }

  async fire(fires: readonly ScheduleFire[]): Promise<ScheduleFireOutcome[]> {
    if (fires.length === 0) return [];
    const now = this.store.clock.now();
    const fresh = fires.map(() => createClaimToken(this.#random));
    const moves = fires.map((fire, place) => ({
      name: fire.schedule.name,
      seen: fire.schedule.revision,
      fresh: fresh[place],
      next_fire_at: fire.nextFireAt,
      last_fire_at: lastFireAfter(fire),
      last_job_id: lastJobOf(fire),
      waiting_at: waitingAfter(fire),
    }));
    const runs = fires.flatMap(({ schedule, runs }, place) =>
      runs.map((run) => ({
        name: schedule.name,
        fire_at: run.fireAt,
        fresh: fresh[place],
        outcome: run.outcome,
        reason: run.reason,
        job_id: run.outcome === 'published' ? run.job.id : null,
      })),
    );
    const [moved] = await this.store.batch([
      { statement: moveSchedules, params: { fires: JSON.stringify(moves) }, scope: FIRE },
      ...rowChunks(runs, () => 0).map((chunk) => ({ statement: insertRuns, params: { now, runs: JSON.stringify(chunk) }, scope: FIRE })),
      ...rowChunks(jobsOf(fires, now), ({ weight }) => weight).map((chunk) => ({
        statement: insertScheduledJobs,
        params: { now, jobs: JSON.stringify(chunk.map(({ row }) => row)) },
        scope: FIRE,
      })),
    ]);
    const fired = new Set(moved?.rows.map(({ name }) => name));
    return fires.map(({ schedule }) => (fired.has(schedule.name) ? 'fired' : 'lost'));
  }

  async runs(name: string, limit: number): Promise<ScheduleRun[]> {
    const records = await this.store.read<RunRecord>(listRuns, { name: checkName(name, 'name'), limit: checkRunsLimit(limit) });
    return records.map((record) => ({
      name: record.name,
      fireAt: record.fire_at,
      outcome: record.outcome,
      reason: record.reason,
      jobId: record.job_id,
      createdAt: record.created_at,
    }));
  }

  async sweepRuns(options: RunSweepOptions): Promise<number> {
    const { changes } = await this.store.write(sweepRuns, { ...checkRunSweep(options) }, RETENTION);
    return changes ?? 0;
  }

  async sweepableRuns(options: Omit<RunSweepOptions, 'limit'>): Promise<boolean> {
    const [row] = await this.store.read<{ found: number }>(findOldRun, { ...checkRunSweepTime(options) });
    return row?.found === 1;
  }
}

function jobsOf(fires: readonly ScheduleFire[], now: number) {
  return fires.flatMap(({ schedule, runs }) =>
    runs.flatMap((run) => {
      if (run.outcome !== 'published') return [];
      const { job } = run;
      const row = {
        id: job.id,
        name: schedule.name,
        fire_at: run.fireAt,
        organization_id: job.organizationId,
        queue: job.queue,
        status: job.dueAt <= now ? 'pending' : 'scheduled',
        lane: laneOf(job.organizationId, job.groupKey),
        priority: job.priority,
        max_attempts: job.maxAttempts,
        due_at: job.dueAt,
        data: job.dataText,
        options: toOptionsText(job),
      };
      return [{ row, weight: charactersOf(job) }];
    }),
  );
}

function toStored(record: ScheduleRecord): StoredSchedule {
  return { ...toSchedule(record), revision: record.revision };
}

function toSchedule(record: ScheduleRecord): Schedule {
  return {
    name: record.name,
    organizationId: record.organization_id,
    spec: readSpec(record.spec),
    paused: record.paused === 1,
    nextFireAt: record.next_fire_at,
    lastFireAt: record.last_fire_at,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}

/** A row that somebody damaged must not hold up those beside it: it reads as a spec without timing, which fires never. */
function readSpec(text: string): ScheduleSpec {
  try {
    return JSON.parse(text) as ScheduleSpec;
  } catch {
    return {} as ScheduleSpec;
  }
}

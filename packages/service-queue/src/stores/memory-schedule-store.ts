import type {
  DueSchedule,
  JobScope,
  NewJob,
  RunSweepOptions,
  Schedule,
  ScheduleFire,
  ScheduleFireOutcome,
  ScheduleRun,
  ScheduleStore,
  StoredSchedule,
} from '@bellhop/contracts';
import { type Clock, type Random, systemRandom } from '@bellhop/kernel';
import { checkName, createClaimToken } from '@bellhop/store';
import { checkScope } from '../job-store-input.js';
import { byBytes } from '../lane.js';
import { checkDueOptions, checkRunSweep, checkRunSweepTime, checkRunsLimit } from '../schedules/schedule-store-input.js';
import type { MemoryJobStore } from './memory-job-store.js';
import { lastFireAfter, lastJobOf, UNSCHEDULED, waitingAfter } from './schedule-rows.js';

export interface MemoryScheduleStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Where the jobs go; its survey tells the fire times of these schedules from here on. */
  readonly jobs: MemoryJobStore;
  /** For revisions. Default: the machine's. */
  readonly random?: Random;
}

/** A schedule as it is kept: its spec as text, so that what is handed out is always a copy. */
interface ScheduleRow extends Omit<StoredSchedule, 'spec'> {
  readonly specText: string;
  readonly lastJobId: string | null;
  readonly waitingAt: number | null;
}

/**
 * The schedules of one process, beside the jobs of a `MemoryJobStore`: nothing survives it.
 *
 * Every operation is atomic because it runs to its end within one turn of the event loop: no `await` before the last write.
 */
export class MemoryScheduleStore implements ScheduleStore {
  readonly durable = false;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #jobs: MemoryJobStore;
  readonly #random: Random;
  readonly #schedules = new Map<string, ScheduleRow>();
  /** By name, then by fire time. */
  readonly #runs = new Map<string, Map<number, ScheduleRun>>();

  constructor({ clock, jobs, random = systemRandom }: MemoryScheduleStoreOptions) {
    this.#clock = clock;
    this.#jobs = jobs;
    this.#random = random;
    jobs.tellFires(() => earliest([...this.#schedules.values()].flatMap((row) => this.#timesOf(row))));
  }

  async save(
    { name, organizationId, spec, nextFireAt }: Pick<Schedule, 'name' | 'organizationId' | 'spec' | 'nextFireAt'>,
    revision: string | null,
  ): Promise<boolean> {
    checkName(name, 'name');
    checkName(organizationId, 'organizationId');
    const now = this.#clock.now();
    const row = this.#schedules.get(name);
    if ((row?.revision ?? null) !== revision) return false;
    const kept = row ?? { paused: false, lastFireAt: null, lastJobId: null, waitingAt: null, createdAt: now };
    const specText = JSON.stringify(spec);
    this.#schedules.set(name, { ...kept, name, organizationId, specText, nextFireAt, updatedAt: now, revision: this.#fresh() });
    return true;
  }

  async remove(name: string, scope?: JobScope): Promise<boolean> {
    const row = this.#own(name, scope);
    if (row) this.#schedules.delete(name);
    if (this.#schedules.has(name)) return false;
    const runs = this.#runs.get(name);
    for (const time of this.#waiting(name)) {
      runs?.set(time, { ...(runs.get(time) as ScheduleRun), outcome: 'skipped', reason: UNSCHEDULED });
    }
    return row !== undefined;
  }

  async get(name: string): Promise<StoredSchedule | null> {
    const row = this.#schedules.get(checkName(name, 'name'));
    return row ? toStored(row) : null;
  }

  async list(scope?: JobScope): Promise<Schedule[]> {
    const organizationId = checkScope(scope);
    return [...this.#schedules.values()]
      .filter((row) => organizationId === null || row.organizationId === organizationId)
      .sort((a, b) => byBytes(a.name, b.name))
      .map((row) => {
        const { revision: _, ...schedule } = toStored(row);
        return schedule;
      });
  }

  async setPaused(name: string, paused: boolean, scope?: JobScope): Promise<boolean> {
    const row = this.#own(name, scope);
    if (!row) return false;
    this.#schedules.set(name, { ...row, paused, updatedAt: this.#clock.now(), revision: this.#fresh() });
    return true;
  }

  async due(options: { readonly now: number; readonly limit: number }): Promise<DueSchedule[]> {
    const { now, limit } = checkDueOptions(options);
    return [...this.#schedules.values()]
      .map((row) => ({ row, at: earliest(this.#timesOf(row)) ?? Number.POSITIVE_INFINITY }))
      .filter(({ at }) => at <= now)
      .sort((a, b) => a.at - b.at || byBytes(a.row.name, b.row.name))
      .slice(0, limit)
      .map(({ row }) => ({ ...toStored(row), unfinishedJobId: this.#unfinished(row), waiting: this.#waiting(row.name) }));
  }

  async fire(fires: readonly ScheduleFire[]): Promise<ScheduleFireOutcome[]> {
    const now = this.#clock.now();
    const stored: Promise<unknown>[] = [];
    const outcomes = fires.map((fire): ScheduleFireOutcome => {
      const row = this.#schedules.get(fire.schedule.name);
      if (!row || row.paused || row.revision !== fire.schedule.revision) return 'lost';
      const jobs = this.#note(fire, now);
      // The jobs are there when the call returns, before anybody else has a turn.
      if (jobs.length > 0) stored.push(this.#jobs.enqueue(jobs));
      this.#schedules.set(row.name, {
        ...row,
        revision: this.#fresh(),
        nextFireAt: fire.nextFireAt,
        lastFireAt: lastFireAfter(fire),
        lastJobId: lastJobOf(fire) ?? row.lastJobId,
        waitingAt: waitingAfter(fire),
      });
      return 'fired';
    });
    await Promise.all(stored);
    return outcomes;
  }

  async runs(name: string, limit: number): Promise<ScheduleRun[]> {
    checkRunsLimit(limit);
    const runs = [...(this.#runs.get(checkName(name, 'name'))?.values() ?? [])];
    return runs
      .sort((a, b) => b.fireAt - a.fireAt)
      .slice(0, limit)
      .map((run) => ({ ...run }));
  }

  async sweepRuns(options: RunSweepOptions): Promise<number> {
    const { createdBefore, limit } = checkRunSweep(options);
    const old = this.#old(createdBefore)
      .sort((a, b) => a.createdAt - b.createdAt)
      .slice(0, limit);
    for (const { name, fireAt } of old) {
      const runs = this.#runs.get(name);
      runs?.delete(fireAt);
      if (runs?.size === 0) this.#runs.delete(name);
    }
    return old.length;
  }

  async sweepableRuns(options: Omit<RunSweepOptions, 'limit'>): Promise<boolean> {
    return this.#old(checkRunSweepTime(options).createdBefore).length > 0;
  }

  /** @returns the jobs of the runs that were noted. */
  #note({ schedule: { name }, runs }: ScheduleFire, now: number): NewJob[] {
    const noted = this.#runs.get(name) ?? new Map<number, ScheduleRun>();
    this.#runs.set(name, noted);
    return runs.flatMap((run) => {
      const { fireAt, outcome, reason } = run;
      const before = noted.get(fireAt);
      if (before && (before.outcome !== 'waiting' || outcome === 'waiting')) return [];
      const jobId = outcome === 'published' ? run.job.id : null;
      noted.set(fireAt, { name, fireAt, outcome, reason, jobId, createdAt: before?.createdAt ?? now });
      return outcome === 'published' ? [run.job] : [];
    });
  }

  /** The times at which something may happen to a schedule. */
  #timesOf(row: ScheduleRow): number[] {
    if (row.paused) return [];
    const times = row.nextFireAt === null ? [] : [row.nextFireAt];
    return row.waitingAt === null || this.#unfinished(row) !== null ? times : [...times, row.waitingAt];
  }

  #unfinished({ lastJobId }: ScheduleRow): string | null {
    return lastJobId !== null && this.#jobs.isUnfinished(lastJobId) ? lastJobId : null;
  }

  /** Undefined: there is none of that name, or it is not of the scope. */
  #own(name: string, scope: JobScope | undefined): ScheduleRow | undefined {
    const organizationId = checkScope(scope);
    const row = this.#schedules.get(checkName(name, 'name'));
    return organizationId === null || row?.organizationId === organizationId ? row : undefined;
  }

  #waiting(name: string): number[] {
    const runs = [...(this.#runs.get(name)?.values() ?? [])];
    return runs
      .filter(({ outcome }) => outcome === 'waiting')
      .map(({ fireAt }) => fireAt)
      .sort((a, b) => a - b);
  }

  #old(createdBefore: number): ScheduleRun[] {
    return [...this.#runs.values()]
      .flatMap((runs) => [...runs.values()])
      .filter((run) => run.outcome !== 'waiting' && run.createdAt < createdBefore);
  }

  #fresh(): string {
    return createClaimToken(this.#random);
  }
}

function toStored({ specText, lastJobId: _job, waitingAt: _waiting, ...schedule }: ScheduleRow): StoredSchedule {
  return { ...schedule, spec: JSON.parse(specText) as StoredSchedule['spec'] };
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

import type {
  DueSchedule,
  Enqueued,
  JobScope,
  JobStore,
  NewJob,
  Schedule,
  ScheduleFire,
  ScheduleRun,
  ScheduleSpec,
  ScheduleStore,
  StoredSchedule,
} from '@bellhop/contracts';
import { BellhopError, type Clock, errorMessage, InputError, type Logger, type Random, silentLogger, systemRandom } from '@bellhop/kernel';
import { checkName, checkWhole, createIdSource, type IdSource } from '@bellhop/store';
import { checkJob } from '../job-input.js';
import { checkScope } from '../job-store-input.js';
import { decideFire } from './decide-fire.js';
import { type CheckedTiming, fireTimesOf } from './fire-times.js';
import { checkScheduleSpec, isSameTiming } from './schedule-input.js';
import { checkDueOptions, checkRunsLimit } from './schedule-store-input.js';

export interface QueueSchedulesOptions {
  readonly store: ScheduleStore;
  /** The store that the schedules publish into. */
  readonly jobs: JobStore;
  /** The store's clock. */
  readonly clock: Pick<Clock, 'now'>;
  /** For ids and jitter. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Told of each time, epoch milliseconds, at which there will be something to do: a fire time, or a job that was published. A past one: at once. */
  readonly onDue?: (at: number) => void;
}

/** What came of a look for schedules that are due. */
export interface FiredSchedules {
  /** As many as the limit: there may be more. */
  readonly due: number;
  /** Those among them that this call fired. The others were changed or fired by somebody else meanwhile. */
  readonly fired: number;
}

/** Writers of one schedule that may come before a call, one after the other, until it gives up. */
const ATTEMPTS = 20;

/** Schedules handled in one go, unless said otherwise. */
const FIRE_LIMIT = 100;

/**
 * The schedules of a queue service: checks what it is given, decides what fires, and leaves it to the store that each fire time has one run,
 * whoever notices it.
 */
export class QueueSchedules {
  readonly #options: QueueSchedulesOptions;
  readonly #store: ScheduleStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #id: IdSource;

  constructor(options: QueueSchedulesOptions) {
    const { store, clock, random = systemRandom, logger = silentLogger } = options;
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#logger = logger;
    this.#id = createIdSource({ clock, random });
  }

  /**
   * Makes or replaces the schedule of that name. The same spec once more changes nothing, so a process may state its schedules at every start. A
   * spec with the same timing keeps the next fire time, also one that was missed; another timing counts from here. Whether it is paused, its
   * history and its waiting runs stay.
   *
   * @param scope whose it may be that is replaced. Default anybody's.
   * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`.
   */
  async schedule(name: string, spec: ScheduleSpec, scope?: JobScope): Promise<Schedule> {
    checkName(name, 'name');
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const now = this.#clock.now();
      const checked = checkScheduleSpec(spec, now);
      const stored = await this.#store.get(name);
      if (stored && !isOf(stored, scope)) throw taken(name);
      const sameTiming = stored !== null && isSameTiming(spec.timing, checked.timing, stored.spec?.timing);
      const wanted = sameTiming ? { ...checked, timing: stored.spec.timing } : checked;
      if (stored && JSON.stringify(stored.spec) === JSON.stringify(wanted)) return shown(stored);
      const nextFireAt = sameTiming ? stored.nextFireAt : firstFire(checked.timing, now);
      const { organizationId } = checked;
      if (!(await this.#store.save({ name, organizationId, spec: wanted, nextFireAt }, stored?.revision ?? null))) continue;
      this.#announce(nextFireAt);
      const saved = await this.#store.get(name);
      if (saved) return shown(saved);
    }
    throw new Error(`The schedule ${JSON.stringify(name)} was changed by others ${ATTEMPTS} times while it was being saved.`);
  }

  /** Its history stays. False: there was none. */
  async unschedule(name: string, scope?: JobScope): Promise<boolean> {
    return this.#store.remove(checkName(name, 'name'), scope);
  }

  listSchedules(scope?: JobScope): Promise<Schedule[]> {
    checkScope(scope);
    return this.#store.list(scope);
  }

  /** No fire while it is paused. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  async pauseSchedule(name: string, scope?: JobScope): Promise<void> {
    if (!(await this.#store.setPaused(checkName(name, 'name'), true, scope))) throw notFound(name);
  }

  /** Fire times that passed meanwhile go by the misfire policy. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  async resumeSchedule(name: string, scope?: JobScope): Promise<void> {
    if (!(await this.#store.setPaused(checkName(name, 'name'), false, scope))) throw notFound(name);
    this.#announce((await this.#store.get(name))?.nextFireAt ?? null);
  }

  /**
   * The fire times to come, as if it were not paused. One that has passed and waits for its policy is none of them.
   *
   * @throws BellhopError `SCHEDULE_NOT_FOUND`.
   */
  async previewSchedule(name: string, count = 5, scope?: JobScope): Promise<number[]> {
    checkWhole(count, 'count', { least: 1, most: 100 });
    const { nextFireAt, spec } = await this.#get(name, scope);
    if (nextFireAt === null) return [];
    const fireTimes = fireTimesOf(spec.timing);
    const times: number[] = [];
    for (let time = fireTimes.next(this.#clock.now()); time !== null && times.length < count; time = fireTimes.next(time)) times.push(time);
    return times;
  }

  /**
   * The latest fire time first; of a schedule that was removed, too, unless an organization is named.
   *
   * @throws BellhopError `SCHEDULE_NOT_FOUND` when the organization that is named has none of that name.
   */
  async scheduleRuns(name: string, limit = 50, scope?: JobScope): Promise<ScheduleRun[]> {
    checkRunsLimit(limit);
    await this.#checkOwner(name, scope);
    return this.#store.runs(checkName(name, 'name'), limit);
  }

  /** Publishes a schedule's job, paused or not. It is no run of it: no fire time, no place in its history. @throws BellhopError `SCHEDULE_NOT_FOUND`. */
  async trigger(name: string, scope?: JobScope): Promise<Enqueued> {
    const schedule = await this.#get(name, scope);
    const now = this.#clock.now();
    const job = this.#job(schedule, { fireAt: now, triggered: true }, now);
    const [enqueued] = await this.#options.jobs.enqueue([job]);
    this.#announce(now);
    return enqueued as Enqueued;
  }

  /**
   * Fires what is due: one read, and where there is something one transaction. Two processes that do so at once make one fire.
   *
   * @param options.now epoch milliseconds, default the clock's.
   * @param options.limit schedules at most. 1 to 1 000, default 100.
   * @throws InputError `INVALID_INPUT`; what the store throws. Nothing was moved on then, or all of it: either way the next call goes on from there.
   */
  async fireDue(options: { readonly now?: number; readonly limit?: number } = {}): Promise<FiredSchedules> {
    const { now, limit } = checkDueOptions({ now: options.now ?? this.#clock.now(), limit: options.limit ?? FIRE_LIMIT });
    const due = await this.#store.due({ now, limit });
    if (due.length === 0) return { due: 0, fired: 0 };
    const fires = due.map((schedule) => this.#decide(schedule, now));
    const outcomes = await this.#store.fire(fires);
    const fired = fires.filter((_, place) => outcomes[place] === 'fired');
    const published = fired.flatMap(({ runs }) => runs.flatMap((run) => (run.outcome === 'published' ? [run.job.dueAt] : [])));
    // One for those that may go at once, one for those that a jitter delays, one for the next fires: each wakes whoever waits.
    const next = fires.flatMap(({ nextFireAt }) => (nextFireAt === null ? [] : [nextFireAt]));
    for (const times of [published.filter((time) => time <= now), published.filter((time) => time > now), next]) {
      if (times.length > 0) this.#announce(Math.min(...times));
    }
    return { due: due.length, fired: fired.length };
  }

  /** A schedule that cannot be read any more (its time zone is gone, its row was damaged) ends, and holds up no other. */
  #decide(schedule: DueSchedule, now: number): ScheduleFire {
    try {
      return decideFire(schedule, now, (of, fireAt) =>
        this.#job(of, { fireAt }, now, fireAt + Math.floor(this.#random() * ((of.spec.jitterMs ?? 0) + 1))),
      );
    } catch (error) {
      const reason = `it will not fire again: ${errorMessage(error)}`;
      this.#logger.error({ schedule: schedule.name, error: errorMessage(error) }, 'a schedule cannot be read and will not fire again');
      const times = new Set([...schedule.waiting, ...(schedule.nextFireAt === null ? [] : [schedule.nextFireAt])]);
      return { schedule, nextFireAt: null, runs: [...times].map((fireAt) => ({ fireAt, outcome: 'skipped', reason })) };
    }
  }

  #job({ name, organizationId, spec }: Schedule, about: Readonly<Record<string, unknown>>, now: number, runAt = now): NewJob {
    const { queue, data, priority, maxAttempts, timeoutMs } = spec;
    const given = Object.fromEntries(Object.entries({ priority, maxAttempts, timeoutMs }).filter(([, value]) => value !== undefined));
    const options = { ...given, organizationId, runAt, metadata: { schedule: name, ...about } };
    return checkJob({ queue, data, options }, { id: this.#id, now });
  }

  /** Where an organization is named: it has a schedule of that name. */
  async #checkOwner(name: string, scope: JobScope | undefined): Promise<void> {
    if (checkScope(scope) !== null) await this.#get(name, scope);
  }

  async #get(name: string, scope?: JobScope): Promise<StoredSchedule> {
    const schedule = await this.#store.get(checkName(name, 'name'));
    if (!schedule || !isOf(schedule, scope)) throw notFound(name);
    return schedule;
  }

  #announce(at: number | null): void {
    if (at !== null) this.#options.onDue?.(at);
  }
}

/** A moment that is named may lie in the past: then it is the misfire policy's. */
function firstFire(timing: CheckedTiming, now: number): number | null {
  return 'once' in timing ? timing.once : fireTimesOf(timing).next(now);
}

function shown({ revision: _, ...schedule }: StoredSchedule): Schedule {
  return schedule;
}

function isOf({ organizationId }: Schedule, scope: JobScope | undefined): boolean {
  const named = checkScope(scope);
  return named === null || named === organizationId;
}

/** Names are one for all organizations: who may not replace a schedule has to learn that there is one. */
function taken(name: string): InputError {
  return new InputError('INVALID_INPUT', `name: ${JSON.stringify(name)} is another organization's schedule; choose another name.`, {
    path: 'name',
  });
}

function notFound(name: string): BellhopError {
  return new BellhopError('SCHEDULE_NOT_FOUND', `There is no schedule ${JSON.stringify(name)}; see the list of those there are.`);
}

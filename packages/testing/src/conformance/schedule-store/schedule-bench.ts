import assert from 'node:assert/strict';
import type {
  DueSchedule,
  JobStore,
  NewJob,
  NewScheduleRun,
  Schedule,
  ScheduleFire,
  ScheduleFireOutcome,
  ScheduleSpec,
  ScheduleStore,
} from '@bellhop/contracts';
import type { Clock, Random } from '@bellhop/kernel';
import { ManualClock } from '../../manual-clock.js';
import type { ConformanceApi } from '../conformance-api.js';
import { seededRandom } from '../seeded-random.js';

/** An empty schedule store, and the job store that it publishes into, as a test gets them. */
export interface ScheduleStoreUnderTest {
  readonly store: ScheduleStore;
  readonly jobs: JobStore;
  /** Frees everything, rows included. */
  close(): void | Promise<void>;
  /** Another store over the same rows, as a second process would have. Default: the same instance serves as both. */
  secondNode?(): ScheduleStore | Promise<ScheduleStore>;
}

export interface ScheduleStoreConformanceOptions {
  /** Names the store in the titles. */
  readonly name: string;
  readonly api: ConformanceApi;
  /** Makes empty stores that read time from `clock` and randomness from `random`. */
  create(ports: { clock: Clock; random: Random }): ScheduleStoreUnderTest | Promise<ScheduleStoreUnderTest>;
  /** What the store must say of itself. */
  readonly durable: boolean;
}

/** Where every test's clock begins. */
export const START = Date.UTC(2026, 0, 15, 12);
export const QUEUE = 'reports';

const SPEC: ScheduleSpec = { timing: { everyMs: 60_000, startAt: START }, queue: QUEUE };

export type ScheduleOverrides = Partial<Pick<Schedule, 'organizationId' | 'spec' | 'nextFireAt'>>;

/** A schedule store under test, with the shorthand the tests are written in. */
export class ScheduleBench {
  readonly clock: ManualClock;
  #under: ScheduleStoreUnderTest | undefined;
  #second: ScheduleStore | undefined;
  #made = 0;

  private constructor() {
    this.clock = new ManualClock({ now: START });
  }

  static async open(create: ScheduleStoreConformanceOptions['create']): Promise<ScheduleBench> {
    const bench = new ScheduleBench();
    bench.#under = await create({ clock: bench.clock, random: seededRandom() });
    bench.#second = (await bench.#under.secondNode?.()) ?? bench.#under.store;
    return bench;
  }

  async close(): Promise<void> {
    await this.#under?.close();
  }

  get store(): ScheduleStore {
    return (this.#under as ScheduleStoreUnderTest).store;
  }

  get jobs(): JobStore {
    return (this.#under as ScheduleStoreUnderTest).jobs;
  }

  /** The store as the second node sees it. */
  get second(): ScheduleStore {
    return this.#second as ScheduleStore;
  }

  /** Saves a schedule, over the one that is there. */
  async save(name: string, overrides: ScheduleOverrides = {}): Promise<void> {
    const schedule = { name, organizationId: 'default', spec: SPEC, nextFireAt: START, ...overrides };
    assert.equal(await this.store.save(schedule, (await this.store.get(name))?.revision ?? null), true);
  }

  due(limit = 100, on: ScheduleStore = this.store): Promise<DueSchedule[]> {
    return on.due({ now: this.clock.now(), limit });
  }

  /** The schedule of that name, which is due. */
  async dueOne(name: string, on: ScheduleStore = this.store): Promise<DueSchedule> {
    const found = (await this.due(100, on)).find((each) => each.name === name);
    assert.ok(found, `${name} is due`);
    return found;
  }

  async dueNames(limit = 100): Promise<string[]> {
    return (await this.due(limit)).map(({ name }) => name);
  }

  /** A job unlike every other of this bench. */
  job(overrides: Partial<NewJob> = {}): NewJob {
    this.#made += 1;
    return {
      id: `job-${String(this.#made).padStart(5, '0')}`,
      organizationId: 'default',
      queue: QUEUE,
      dataText: JSON.stringify({ n: this.#made }),
      metadataText: null,
      priority: 100,
      maxAttempts: 3,
      backoff: { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' },
      timeoutMs: 3_600_000,
      dueAt: this.clock.now(),
      groupKey: null,
      groupConcurrency: null,
      idempotencyKey: null,
      idempotencyUntil: null,
      ...overrides,
    };
  }

  published(fireAt: number, job: Partial<NewJob> = {}): NewScheduleRun & { readonly outcome: 'published' } {
    return { fireAt, outcome: 'published', reason: null, job: this.job(job) };
  }

  waiting(fireAt: number): NewScheduleRun {
    return { fireAt, outcome: 'waiting', reason: 'the job before is not finished' };
  }

  skipped(fireAt: number): NewScheduleRun {
    return { fireAt, outcome: 'skipped', reason: 'left out' };
  }

  async fire(fire: ScheduleFire, on: ScheduleStore = this.store): Promise<ScheduleFireOutcome> {
    const outcomes = await on.fire([fire]);
    assert.equal(outcomes.length, 1, 'one outcome for one fire');
    return outcomes[0] as ScheduleFireOutcome;
  }

  /** Makes a schedule whose job of START was published and has not ended. @returns the job's id. */
  async busy(name: string): Promise<string> {
    await this.save(name);
    const run = this.published(START);
    assert.equal(await this.fire({ schedule: await this.dueOne(name), nextFireAt: START + 60_000, runs: [run] }), 'fired');
    return run.job.id;
  }

  /** Ends the job of a queue that is claimable. */
  async finishJobs(queue = QUEUE): Promise<void> {
    const claims = await this.jobs.claim({ workerId: 'w', queues: [{ queue, limit: 100, leaseMs: 30_000 }] });
    assert.ok(claims.length > 0, 'there is a job to finish');
    await this.jobs.ack(claims.map((claim) => ({ claim, result: { outcome: 'completed' } })));
  }

  async nextFireAt(): Promise<number | undefined> {
    return (await this.jobs.survey({ queues: [] })).nextFireAt;
  }

  /** The history of a schedule, the earliest fire time first, as `time after START: outcome`. */
  async history(name: string): Promise<string[]> {
    const runs = await this.store.runs(name, 200);
    return runs.map(({ fireAt, outcome }) => `${fireAt - START}: ${outcome}`).reverse();
  }
}

/** Defines tests that each get a bench of their own. */
export type ScheduleTest = (title: string, body: (bench: ScheduleBench) => Promise<void>) => void;

/** A describe block whose tests each run on a fresh bench. */
export function scheduleSection(
  { api, create }: ScheduleStoreConformanceOptions,
  title: string,
  define: (test: ScheduleTest) => void,
): void {
  api.describe(title, () => {
    let bench: ScheduleBench | undefined;
    api.beforeEach(async () => {
      bench = await ScheduleBench.open(create);
    });
    api.afterEach(async () => {
      await bench?.close();
      bench = undefined;
    });
    define((testTitle, body) => api.it(testTitle, () => body(bench as ScheduleBench)));
  });
}

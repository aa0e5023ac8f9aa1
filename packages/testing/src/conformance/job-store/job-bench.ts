import assert from 'node:assert/strict';
import type {
  ClaimedJob,
  Enqueued,
  Job,
  JobClaimOptions,
  JobClaimOutcome,
  JobResult,
  JobStore,
  NewJob,
  QueueClaim,
  Transaction,
  TransactionOption,
} from '@bellhop/contracts';
import type { Clock, Random } from '@bellhop/kernel';
import { ManualClock } from '../../manual-clock.js';
import type { ConformanceApi } from '../conformance-api.js';
import { seededRandom } from '../seeded-random.js';

/** The parts of the suite. */
export const JOB_STORE_SECTIONS = [
  'enqueue',
  'idempotency',
  'transactions',
  'claim',
  'order',
  'lanes',
  'group-caps',
  'ack',
  'claim-tokens',
  'renew-release-and-progress',
  'promote',
  'reclaim',
  'survey',
  'pause',
  'manage',
  'replay-and-purge',
  'stats-and-lists',
  'retention',
  'state-table',
  'input-limits',
  'histories',
] as const;
export type JobStoreSection = (typeof JOB_STORE_SECTIONS)[number];

/** An empty job store, as a test gets it. */
export interface JobStoreUnderTest {
  readonly store: JobStore;
  /** Frees everything, rows included. */
  close(): void | Promise<void>;
  /** Another store over the same rows, as a second process would have. Default: the same instance serves as both. */
  secondNode?(): JobStore | Promise<JobStore>;
  /** Runs `fn` in a transaction that enqueue can join. Without it the transaction tests are skipped. */
  transaction?<T>(fn: (trx: Transaction) => Promise<T>): Promise<T>;
}

export interface JobStoreConformanceOptions {
  /** Names the store in the titles. */
  readonly name: string;
  readonly api: ConformanceApi;
  /** Makes an empty store that reads time from `clock` and randomness from `random`. */
  create(ports: { clock: Clock; random: Random }): JobStoreUnderTest | Promise<JobStoreUnderTest>;
  /** What the store must say of itself. */
  readonly durable: boolean;
  /** Parts to define here: over a slow database they run side by side when they are divided among test files. Default: all. */
  readonly sections?: readonly JobStoreSection[];
  /** Random histories the property test runs, each on a fresh store. Default 40. */
  readonly propertyRuns?: number;
}

/** Where every test's clock begins. */
export const START = Date.UTC(2026, 0, 15, 12);
export const LEASE_MS = 30_000;
/** How long the key of a completed job holds, from when it was made, unless a test says otherwise. */
export const WINDOW_MS = 60_000;
/** What a point of priority is worth: the contract's number, written out. */
export const POINT_MS = 6_000;
export const QUEUE = 'mail';

/** A job by what matters in a test; the rest is filled in, and `data` and `metadata` made into text. */
export type JobOverrides = Partial<NewJob> & { readonly data?: unknown; readonly metadata?: Record<string, unknown> };

/** One queue of a claim, and who claims. */
export type ClaimOverrides = Partial<QueueClaim> & Partial<Omit<JobClaimOptions, 'queues'>>;

/** A job store under test, with the shorthand the tests are written in. */
export class JobBench {
  readonly clock: ManualClock;
  readonly random: Random;
  #under: JobStoreUnderTest | undefined;
  #second: JobStore | undefined;
  /** Ids of every job this bench made, in order: a store lists none but dead ones. */
  readonly #made = new Set<string>();

  private constructor() {
    this.clock = new ManualClock({ now: START });
    this.random = seededRandom();
  }

  static async open(create: JobStoreConformanceOptions['create']): Promise<JobBench> {
    const bench = new JobBench();
    bench.#under = await create({ clock: bench.clock, random: bench.random });
    bench.#second = (await bench.#under.secondNode?.()) ?? bench.#under.store;
    return bench;
  }

  async close(): Promise<void> {
    await this.#under?.close();
  }

  get store(): JobStore {
    return (this.#under as JobStoreUnderTest).store;
  }

  /** The store as the second node sees it. */
  get second(): JobStore {
    return this.#second as JobStore;
  }

  get transaction(): JobStoreUnderTest['transaction'] {
    const under = this.#under as JobStoreUnderTest;
    return under.transaction?.bind(under);
  }

  /** A job unlike every other of this bench. Ids rise in the order they are made. */
  job({ data, metadata, ...overrides }: JobOverrides = {}): NewJob {
    const id = overrides.id ?? `job-${String(this.#made.size + 1).padStart(5, '0')}`;
    this.#made.add(id);
    const { idempotencyKey = null } = overrides;
    return {
      id,
      organizationId: 'default',
      queue: QUEUE,
      dataText: JSON.stringify(data ?? { n: this.#made.size }),
      metadataText: metadata === undefined ? null : JSON.stringify(metadata),
      priority: 100,
      maxAttempts: 3,
      backoff: { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' },
      timeoutMs: 3_600_000,
      dueAt: this.clock.now(),
      groupKey: null,
      groupConcurrency: null,
      idempotencyKey,
      idempotencyUntil: idempotencyKey === null ? null : this.clock.now() + WINDOW_MS,
      ...overrides,
    };
  }

  /** @returns the id in the result: the job's own, or its key's holder's. */
  async enqueue(overrides: JobOverrides = {}, options?: TransactionOption): Promise<string> {
    return (await this.enqueued(overrides, options)).id;
  }

  async enqueued(overrides: JobOverrides = {}, options?: TransactionOption, on: JobStore = this.store): Promise<Enqueued> {
    const [result] = await on.enqueue([this.job(overrides)], options);
    return result as Enqueued;
  }

  /** Many at once, all stored. @returns their ids. */
  async fill(count: number, overrides: JobOverrides = {}): Promise<string[]> {
    const jobs = Array.from({ length: count }, () => this.job(overrides));
    const results = await this.store.enqueue(jobs);
    assert.deepEqual(
      results.map(({ id }) => id),
      jobs.map(({ id }) => id),
    );
    return jobs.map(({ id }) => id);
  }

  claimOptions({ workerId = 'worker-a', now, ...queue }: ClaimOverrides = {}): JobClaimOptions {
    const time = now === undefined ? {} : { now };
    return { workerId, queues: [{ queue: QUEUE, limit: 100, leaseMs: LEASE_MS, ...queue }], ...time };
  }

  claim(overrides: ClaimOverrides = {}, from: JobStore = this.store): Promise<ClaimedJob[]> {
    return from.claim(this.claimOptions(overrides));
  }

  /** Claims the one job that may be claimed. */
  async claimOne(overrides: ClaimOverrides = {}, from: JobStore = this.store): Promise<ClaimedJob> {
    const claimed = await this.claim(overrides, from);
    assert.equal(claimed.length, 1, 'exactly one job is claimed');
    return claimed[0] as ClaimedJob;
  }

  /** Ids of a claim, in its order. */
  async claimIds(overrides: ClaimOverrides = {}, from: JobStore = this.store): Promise<string[]> {
    return (await this.claim(overrides, from)).map(({ id }) => id);
  }

  async ack(claim: ClaimedJob, result: JobResult, on: JobStore = this.store): Promise<JobClaimOutcome> {
    const outcomes = await on.ack([{ claim, result }]);
    assert.equal(outcomes.length, 1, 'one outcome for one ack');
    return outcomes[0] as JobClaimOutcome;
  }

  /** Makes a job that has died; others of its queue are left as they are. */
  async deadJob(overrides: JobOverrides = {}, error = 'gone'): Promise<string> {
    const id = await this.enqueue(overrides);
    const claims = await this.claim({ queue: overrides.queue ?? QUEUE, limit: 1_000 });
    const claim = claims.find((each) => each.id === id);
    assert.ok(claim, `the job ${id} is claimed to die`);
    await this.store.release(claims.filter((each) => each !== claim));
    assert.equal(await this.ack(claim, { outcome: 'dead', error }), 'acked');
    return id;
  }

  /** Promotes what is due and claims what that makes claimable. */
  async promoteAndClaim(overrides: ClaimOverrides = {}): Promise<ClaimedJob[]> {
    await this.store.promote({ limit: 1_000 });
    return this.claim(overrides);
  }

  async row(id: string): Promise<Job> {
    const found = await this.store.get(id);
    assert.ok(found, `the job ${id} is there`);
    return found;
  }

  /** Every job of this bench that the store holds, in the order they were made. */
  async rows(): Promise<Job[]> {
    const found = await Promise.all([...this.#made].map((id) => this.store.get(id)));
    return found.filter((row) => row !== null);
  }

  async statuses(): Promise<string[]> {
    return (await this.rows()).map(({ status }) => status);
  }
}

/** Defines tests that each get a bench of their own. */
export type JobTest = (title: string, body: (bench: JobBench) => Promise<void>) => void;

/** A describe block whose tests each run on a fresh bench. */
export function jobSection({ api, create }: JobStoreConformanceOptions, title: string, define: (test: JobTest) => void): void {
  api.describe(title, () => {
    let bench: JobBench | undefined;
    api.beforeEach(async () => {
      bench = await JobBench.open(create);
    });
    api.afterEach(async () => {
      await bench?.close();
      bench = undefined;
    });
    define((testTitle, body) => api.it(testTitle, () => body(bench as JobBench)));
  });
}

import type {
  BatchJobHandler,
  Enqueued,
  FailedJobFilter,
  IQueueService,
  Job,
  JobHandler,
  JobPage,
  JobScope,
  JobStore,
  NewJob,
  PublishOptions,
  QueueStats,
  Schedule,
  ScheduleRun,
  ScheduleSpec,
  SubscribeOptions,
  Subscription,
  Transaction,
  TransactionOption,
} from '@bellhop/contracts';
import {
  BellhopError,
  type Clock,
  errorMessage,
  InputError,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '@bellhop/kernel';
import { checkName, checkTime, createIdSource, type IdSource } from '@bellhop/store';
import { checkJob } from './job-input.js';
import { KeptSubscription } from './kept-subscription.js';
import { checkJobs } from './publish-input.js';
import type { QueueSchedules } from './schedules/queue-schedules.js';
import type { QueueWorker } from './worker/queue-worker.js';
import { checkSubscribeOptions } from './worker/worker-options.js';

export interface QueueServiceOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** For ids. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
}

/** What became claimable, or will. */
export interface JobsAnnounced {
  /** Absent: not known. */
  readonly queue?: string;
  /** Epoch milliseconds of the job that is due first. */
  readonly dueAt: number;
}

export interface QueueWiring {
  readonly jobs: JobStore;
  /** The store's clock. Default: the service's. */
  readonly clock?: Clock;
  /** Serves the subscriptions. Without it they wait: another process of the deployment works. */
  readonly worker?: QueueWorker;
  /** Without it every call about schedules is refused. */
  readonly schedules?: QueueSchedules;
  /** Calls `fn` once the root of `trx` has committed, never after a rollback: the store's `afterCommit`. Without it `{ trx }` is refused. */
  readonly afterCommit?: (trx: Transaction, fn: () => void) => void;
  /**
   * Called after the commit of everything that made a job claimable, or will at its due time: a worker ticks when `dueAt` has come, and lowers
   * its timer when it has not. What it throws is logged; the jobs are there all the same.
   */
  readonly onAnnounced?: (announced: JobsAnnounced) => void;
}

/**
 * The way in: checks, stores, and tells who waits for jobs.
 *
 * Invariants: everything that can be refused is refused before the write; whoever waits hears of a job after its commit and never otherwise;
 * what is published or subscribed before `attach` is kept and handed over.
 */
export class QueueService implements IQueueService {
  readonly #logger: Logger;
  readonly #nextId: IdSource;
  readonly #kept = new Set<KeptSubscription>();
  readonly #wired: Promise<QueueWiring>;
  #tellWired: (wiring: QueueWiring) => void = () => {};
  #refuse: (error: unknown) => void = () => {};
  #wiring: QueueWiring | undefined;
  #clock: Clock;

  constructor({ clock = systemClock, random = systemRandom, logger = silentLogger }: QueueServiceOptions = {}) {
    this.#clock = clock;
    this.#logger = logger;
    this.#nextId = createIdSource({ clock: { now: () => this.#clock.now() }, random });
    this.#wired = new Promise((resolve, reject) => {
      this.#tellWired = resolve;
      this.#refuse = reject;
    });
    // Whoever waits hears of it; that nobody does is no fault.
    this.#wired.catch(() => {});
  }

  /** The store is ready: hands over what was kept. Once. */
  attach(wiring: QueueWiring): void {
    if (this.#wiring) throw new BellhopError('KERNEL_STATE', 'attach: this queue service has its store already.');
    this.#wiring = wiring;
    this.#clock = wiring.clock ?? this.#clock;
    if (wiring.worker) for (const kept of this.#kept) kept.handOver(wiring.worker);
    this.#tellWired(wiring);
  }

  /** There will be no store: what waits for one is refused. Does nothing after `attach`. */
  abandon(): void {
    this.#refuse(new BellhopError('KERNEL_STATE', 'The queue service was stopped before its store was ready: nothing was written.'));
  }

  async publish(queue: string, data: unknown, options?: PublishOptions, trx: TransactionOption = {}): Promise<Enqueued> {
    const job = checkJob({ queue, data, ...(options === undefined ? {} : { options }) }, { id: this.#nextId, now: this.#clock.now() });
    const [enqueued] = await this.#enqueue([job], trx);
    return enqueued as Enqueued;
  }

  async publishMany(
    queue: string,
    jobs: readonly { readonly data: unknown; readonly options?: PublishOptions }[],
    trx: TransactionOption = {},
  ): Promise<Enqueued[]> {
    return this.#enqueue(checkJobs(queue, jobs, { id: this.#nextId, now: this.#clock.now() }), trx);
  }

  subscribe<Data = unknown>(
    queue: string,
    handler: BatchJobHandler<Data>,
    options: SubscribeOptions & { readonly batch: number },
  ): Subscription;
  subscribe<Data = unknown>(queue: string, handler: JobHandler<Data>, options?: SubscribeOptions): Subscription;
  subscribe(queue: string, handler: unknown, options?: SubscribeOptions & { readonly batch?: number }): Subscription {
    checkName(queue, 'queue');
    if (typeof handler !== 'function') {
      throw new InputError('INVALID_INPUT', `handler: a function is needed, ${typeof handler} given.`, { path: 'handler' });
    }
    checkSubscribeOptions(options);
    const subscription = new KeptSubscription(
      queue,
      handler as JobHandler | BatchJobHandler,
      options && { ...options },
      (ended) => void this.#kept.delete(ended),
    );
    this.#kept.add(subscription);
    if (this.#wiring?.worker) subscription.handOver(this.#wiring.worker);
    return subscription;
  }

  async unsubscribe(queue: string): Promise<void> {
    checkName(queue, 'queue');
    await Promise.all([...this.#kept].filter((kept) => kept.queue === queue).map((kept) => kept.unsubscribe()));
    // Those that end already.
    await this.#wiring?.worker?.unsubscribe(queue);
  }

  async getQueueSize(queue: string, scope?: JobScope): Promise<number> {
    const stats = await this.stats(checkName(queue, 'queue'), scope);
    return stats.reduce((size, { scheduled, pending }) => size + scheduled + pending, 0);
  }

  async stats(queue?: string, scope?: JobScope): Promise<QueueStats[]> {
    const { jobs } = await this.#wired;
    return jobs.stats(queue, scope);
  }

  async pause(queue: string): Promise<void> {
    checkName(queue, 'queue');
    const { jobs } = await this.#wired;
    await jobs.setPaused(queue, true);
  }

  async resume(queue: string): Promise<void> {
    checkName(queue, 'queue');
    const { jobs } = await this.#wired;
    await jobs.setPaused(queue, false);
    this.#announce({ queue, dueAt: this.#clock.now() });
  }

  async get(id: string, scope?: JobScope): Promise<Job | null> {
    const { jobs } = await this.#wired;
    return jobs.get(checkName(id, 'id'), scope);
  }

  async cancel(id: string, scope?: JobScope): Promise<boolean> {
    const { jobs } = await this.#wired;
    return (await jobs.cancel(checkName(id, 'id'), scope)) || this.#isPast(id, scope);
  }

  async reschedule(id: string, at: number, scope?: JobScope): Promise<boolean> {
    checkTime(at, 'at');
    const { jobs } = await this.#wired;
    if (!(await jobs.reschedule(checkName(id, 'id'), at, scope))) return this.#isPast(id, scope);
    this.#announce({ dueAt: at });
    return true;
  }

  async listFailed(filter?: FailedJobFilter): Promise<JobPage> {
    const { jobs } = await this.#wired;
    return jobs.listFailed(filter);
  }

  async replay(id: string, scope?: JobScope): Promise<void> {
    const { jobs } = await this.#wired;
    if (!(await jobs.replay(checkName(id, 'id'), scope))) throw notFound(id, 'dead job');
    this.#announce({ dueAt: this.#clock.now() });
  }

  async replayAll(queue: string, scope?: JobScope): Promise<number> {
    checkName(queue, 'queue');
    const { jobs } = await this.#wired;
    const replayed = await jobs.replayAll(queue, scope);
    if (replayed > 0) this.#announce({ queue, dueAt: this.#clock.now() });
    return replayed;
  }

  async purge(queue: string, scope?: JobScope): Promise<number> {
    checkName(queue, 'queue');
    const { jobs } = await this.#wired;
    return jobs.purge(queue, scope);
  }

  async purgeFailed(id: string, scope?: JobScope): Promise<void> {
    const { jobs } = await this.#wired;
    if (!(await jobs.purgeFailed(checkName(id, 'id'), scope))) throw notFound(id, 'dead job');
  }

  async schedule(name: string, spec: ScheduleSpec, scope?: JobScope): Promise<Schedule> {
    return (await this.#schedules()).schedule(name, spec, scope);
  }

  async unschedule(name: string, scope?: JobScope): Promise<boolean> {
    return (await this.#schedules()).unschedule(name, scope);
  }

  async listSchedules(scope?: JobScope): Promise<Schedule[]> {
    return (await this.#schedules()).listSchedules(scope);
  }

  async pauseSchedule(name: string, scope?: JobScope): Promise<void> {
    return (await this.#schedules()).pauseSchedule(name, scope);
  }

  async resumeSchedule(name: string, scope?: JobScope): Promise<void> {
    return (await this.#schedules()).resumeSchedule(name, scope);
  }

  async previewSchedule(name: string, count?: number, scope?: JobScope): Promise<number[]> {
    return (await this.#schedules()).previewSchedule(name, count, scope);
  }

  async scheduleRuns(name: string, limit?: number, scope?: JobScope): Promise<ScheduleRun[]> {
    return (await this.#schedules()).scheduleRuns(name, limit, scope);
  }

  async trigger(name: string, scope?: JobScope): Promise<Enqueued> {
    return (await this.#schedules()).trigger(name, scope);
  }

  async #enqueue(jobs: readonly NewJob[], { trx }: TransactionOption): Promise<Enqueued[]> {
    const { jobs: store, afterCommit } = this.#wiring ?? (await this.#wired);
    if (trx && !afterCommit) {
      throw new InputError('INVALID_INPUT', 'trx: this service was made without `afterCommit` and cannot join a transaction.', {
        path: 'trx',
      });
    }
    if (jobs.length === 0) return [];
    const enqueued = await store.enqueue(jobs, trx ? { trx } : {});
    // One of the caller's transaction may be stored and not known yet: the wake then finds nothing, which harms nobody.
    const stored = jobs.filter((_, index) => enqueued[index]?.deduped !== true);
    const [first] = stored;
    if (!first) return enqueued;
    const announced = { queue: first.queue, dueAt: stored.reduce((earliest, { dueAt }) => Math.min(earliest, dueAt), first.dueAt) };
    if (trx) afterCommit?.(trx, () => this.#announce(announced));
    else this.#announce(announced);
    return enqueued;
  }

  #announce(announced: JobsAnnounced): void {
    try {
      this.#wiring?.onAnnounced?.(announced);
    } catch (error) {
      this.#logger.error({ error: errorMessage(error) }, 'onAnnounced failed: the jobs wait for the next tick');
    }
  }

  /** A job that could not be changed is there and past it, or is not there. */
  async #isPast(id: string, scope: JobScope | undefined): Promise<false> {
    const { jobs } = await this.#wired;
    if (!(await jobs.get(id, scope))) throw notFound(id, 'job');
    return false;
  }

  async #schedules(): Promise<QueueSchedules> {
    const { schedules } = await this.#wired;
    if (schedules) return schedules;
    throw new BellhopError('KERNEL_STATE', 'This queue service was made without schedules: bind a SCHEDULE_STORE beside the job store.');
  }
}

function notFound(id: string, what: 'job' | 'dead job'): BellhopError {
  const why = what === 'job' ? 'it was swept, or never here' : 'it lives, was swept, or was never here; failed jobs can be listed';
  return new BellhopError('JOB_NOT_FOUND', `There is no ${what} ${JSON.stringify(id.slice(0, 80))}: ${why}.`);
}

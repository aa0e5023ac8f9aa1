import { JOB_STORE, type MigratingPlugin, QUEUE, REAPER_DUTY, SCHEDULE_STORE, STORE, type Store } from '@bellhop/contracts';
import { type Container, type PluginContext, type PluginHealth, parseOptions } from '@bellhop/kernel';
import type { z } from 'zod';
import { queueMigrations } from './migrations/queue-migrations.js';
import { JobPull } from './pull/job-pull.js';
import { JOB_PULL } from './pull/job-pull-token.js';
import { type QueuePluginOptions, queueOptionsSchema } from './queue-options.js';
import { type JobsAnnounced, QueueService } from './queue-service.js';
import { retentionDuties } from './retention/retention-duties.js';
import { QueueSchedules } from './schedules/queue-schedules.js';
import { MemoryJobStore } from './stores/memory-job-store.js';
import { MemoryScheduleStore } from './stores/memory-schedule-store.js';
import { SqlJobStore } from './stores/sql-job-store.js';
import { SqlScheduleStore } from './stores/sql-schedule-store.js';
import { QueueWorker } from './worker/queue-worker.js';
import { QUEUE_WORKER } from './worker/queue-worker-token.js';

/** The topic under which processes of one database tell each other of jobs. */
const SIGNAL_TOPIC = 'queue_job';

/**
 * The plugin `service-queue`: binds `QUEUE` and, unless the deployment did, `JOB_STORE` with its `SCHEDULE_STORE`; migrates its tables; runs the
 * worker, woken by its own publishes after their commit and by the signals of others.
 *
 * `QUEUE` is there from init on: what is published or subscribed before the store is ready is kept and handed over. To await a publish in a start
 * of one's own, require this plugin.
 *
 * @throws BellhopError `PLUGIN_OPTIONS` at once, for options that are not allowed.
 */
export function queuePlugin(given: QueuePluginOptions = {}): MigratingPlugin {
  const options = parseOptions('service-queue', queueOptionsSchema, given);
  let service: QueueService | undefined;
  let queue: Queue | undefined;
  return {
    name: 'service-queue',
    requires: ['store'],
    migrations: [queueMigrations],
    init({ container, clock, random, logger }) {
      service = new QueueService({ clock, random, logger });
      container.bind(QUEUE, service);
      addRetention(container, options, bindStores(container, options.jobs, random));
      container.bindFactory(JOB_PULL, () => {
        if (queue) return queue.pull;
        throw new Error('JOB_PULL is there once service-queue has started: put "service-queue" into `requires`.');
      });
      if (options.work) {
        container.bindFactory(QUEUE_WORKER, () => {
          if (queue?.worker) return queue.worker;
          throw new Error('QUEUE_WORKER is there once service-queue has started: put "service-queue" into `requires`.');
        });
      }
    },
    async start(ctx) {
      await ctx.container.resolve(STORE).migrate(queueMigrations);
      queue = assemble(ctx, options, service as QueueService);
      queue.start();
    },
    async stop() {
      service?.abandon();
      await queue?.stop();
    },
    health: () => queue?.health() ?? { status: 'failing', reason: 'not started' },
  };
}

/**
 * A deployment that binds a job store of its own binds the schedules beside it, or has none.
 *
 * @returns which of them are tables of the store.
 */
function bindStores(container: Container, kind: 'sql' | 'memory', random: PluginContext['random']): { jobs: boolean; schedules: boolean } {
  const store = () => container.resolve(STORE);
  if (kind === 'sql') {
    const own = container.bindFactory(JOB_STORE, () => new SqlJobStore({ store: store(), random }));
    const both = own && container.bindFactory(SCHEDULE_STORE, () => new SqlScheduleStore({ store: store(), random }));
    return { jobs: own, schedules: both };
  }
  const inStore = { jobs: false, schedules: false };
  let jobs: MemoryJobStore | undefined;
  const memory = (): MemoryJobStore => {
    jobs ??= new MemoryJobStore({ clock: store().clock, random, afterCommit: (trx, fn) => store().afterCommit(trx, fn) });
    return jobs;
  };
  if (!container.bindFactory(JOB_STORE, memory)) return inStore;
  container.bindFactory(SCHEDULE_STORE, () => new MemoryScheduleStore({ clock: store().clock, jobs: memory(), random }));
  return inStore;
}

function addRetention(
  container: Container,
  { keepCompletedMs, keepDeadMs, keepScheduleRunsMs }: z.output<typeof queueOptionsSchema>,
  inStore: { readonly jobs: boolean; readonly schedules: boolean },
): void {
  const duties = retentionDuties(
    { completedMs: keepCompletedMs, deadMs: keepDeadMs, scheduleRunsMs: keepScheduleRunsMs },
    {
      jobs: () => container.resolve(JOB_STORE),
      schedules: () => (container.isBound(SCHEDULE_STORE) ? container.resolve(SCHEDULE_STORE) : undefined),
      inStore,
    },
  );
  for (const duty of duties) container.add(REAPER_DUTY, duty);
}

interface Queue {
  readonly worker: QueueWorker | undefined;
  readonly pull: JobPull;
  start(): void;
  stop(): Promise<void>;
  health(): PluginHealth;
}

function assemble(
  { container, random, logger }: PluginContext,
  options: z.output<typeof queueOptionsSchema>,
  service: QueueService,
): Queue {
  const store = container.resolve(STORE);
  const { clock } = store;
  const jobs = container.resolve(JOB_STORE);
  const announce = ({ queue, dueAt }: JobsAnnounced): void => {
    const announced = { dueAt, ...(queue === undefined ? {} : { queue }) };
    wakeAt(worker, announced, store);
    wakeAt(pull, announced, store);
    store.signals.signal(SIGNAL_TOPIC, { dueAt, ...(queue === undefined ? {} : { payload: queue }) });
  };
  const schedules = container.isBound(SCHEDULE_STORE)
    ? new QueueSchedules({
        store: container.resolve(SCHEDULE_STORE),
        jobs,
        clock,
        random,
        logger,
        onDue: (dueAt) => announce({ dueAt }),
      })
    : undefined;
  const worker = options.work
    ? new QueueWorker({
        jobs,
        clock,
        random,
        logger,
        ...(schedules ? { schedules } : {}),
        onHandedBack: (queue) => {
          pull.wake(queue);
          store.signals.signal(SIGNAL_TOPIC, { dueAt: clock.now(), payload: queue });
        },
        onRecovered: () => pull.wake(),
        maxConcurrency: options.maxConcurrency,
        intervalMs: options.workIntervalMs,
        maxIdleIntervalMs: options.workMaxIdleIntervalMs,
      })
    : undefined;
  const pull = new JobPull({
    jobs,
    clock,
    random,
    logger,
    onAnnounced: announce,
    onExpired: () => worker?.due(clock.now()),
    intervalMs: options.workIntervalMs,
    maxIdleIntervalMs: options.workMaxIdleIntervalMs,
  });
  let leave = () => {};
  return {
    worker,
    pull,
    start() {
      service.attach({
        jobs,
        clock,
        ...(worker ? { worker } : {}),
        ...(schedules ? { schedules } : {}),
        afterCommit: (trx, fn) => store.afterCommit(trx, fn),
        onAnnounced: announce,
      });
      leave = store.signals.onRemoteSignal(SIGNAL_TOPIC, ({ dueAt, payload }) => {
        const announced = { dueAt: dueAt ?? 0, ...(payload === undefined ? {} : { queue: payload }) };
        wakeAt(worker, announced, store);
        wakeAt(pull, announced, store);
      });
      worker?.start();
      pull.start();
    },
    async stop() {
      leave();
      await pull.stop();
      await worker?.stop({ deadlineMs: options.stopDeadlineMs });
    },
    health: () => worker?.health() ?? { status: 'ok', details: { working: false, durable: jobs.durable } },
  };
}

/** Due now wakes whoever looks for jobs, due later lowers its timer. */
function wakeAt(looking: Pick<QueueWorker, 'wake' | 'due'> | undefined, { queue, dueAt }: JobsAnnounced, store: Store): void {
  if (dueAt <= store.clock.now()) looking?.wake(queue);
  else looking?.due(dueAt);
}

import type { ClaimedJob, Job, JobContext, JobHandler, JobMessage, JobStore, ScheduleStore } from '@bellhop/contracts';
import { type Logger, silentLogger } from '@bellhop/kernel';
import { failingCalls, ManualClock, ManualTransactions, seededRandom } from '@bellhop/testing';
import { type JobsAnnounced, QueueService } from './queue-service.js';
import { QueueSchedules } from './schedules/queue-schedules.js';
import { MemoryJobStore } from './stores/memory-job-store.js';
import { MemoryScheduleStore } from './stores/memory-schedule-store.js';
import { QueueWorker } from './worker/queue-worker.js';
import type { QueueWorkerOptions } from './worker/worker-options.js';

export interface BenchOptions extends Partial<Omit<QueueWorkerOptions, 'jobs' | 'schedules' | 'clock' | 'logger'>> {
  readonly clock?: ManualClock;
  /** Shared with another bench: two processes on one store. Default: a memory store of its own. */
  readonly memory?: JobStore;
  /** The schedules beside `memory`, shared as that is. Needed beside a store of another kind. */
  readonly memorySchedules?: ScheduleStore;
  /** Of its randomness, ids too: two processes have two. Default 1. */
  readonly seed?: number;
}

const STATEMENTS = ['survey', 'claim', 'ack', 'renew', 'release', 'progress', 'promote', 'reclaim', 'enqueue'] as const;
const SCHEDULE_STATEMENTS = ['due', 'fire'] as const;

/**
 * A queue service with its worker on a memory store and a manual clock. Their calls go through a fault injector that counts them; a test that
 * wants to write behind their backs uses `memory`.
 */
export function queueBench({
  clock = new ManualClock(),
  memory: given,
  memorySchedules: givenSchedules,
  seed = 1,
  ...options
}: BenchOptions = {}) {
  const { transaction, afterCommit } = new ManualTransactions();
  const random = seededRandom(seed);
  const memory = given ?? new MemoryJobStore({ clock, random, afterCommit });
  const faults = failingCalls<JobStore>(memory);
  // A random of its own: what jobs draw is the same with and without schedules.
  const besides = (): ScheduleStore => {
    if (memory instanceof MemoryJobStore) return new MemoryScheduleStore({ clock, jobs: memory, random: seededRandom() });
    throw new Error('memorySchedules: give those of the store.');
  };
  const memorySchedules = givenSchedules ?? besides();
  const scheduleFaults = failingCalls<ScheduleStore>(memorySchedules);
  const logged: { readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const logger = recorder(logged);
  const announced: JobsAnnounced[] = [];
  const announce = (each: JobsAnnounced): void => {
    announced.push(each);
    if (each.dueAt <= clock.now()) worker.wake(each.queue);
    else worker.due(each.dueAt);
  };
  const schedules = new QueueSchedules({
    store: scheduleFaults.port,
    jobs: faults.port,
    clock,
    random: seededRandom(),
    logger,
    onDue: (dueAt) => announce({ dueAt }),
  });
  const worker = new QueueWorker({ random, ...options, jobs: faults.port, schedules, clock, logger });
  const service = new QueueService({ clock, random, logger });
  const silent = new QueueService({ clock, random });
  silent.attach({ jobs: memory });
  service.attach({ jobs: faults.port, worker, schedules, afterCommit, onAnnounced: announce });
  return {
    clock,
    memory,
    memorySchedules,
    worker,
    service,
    faults,
    scheduleFaults,
    logged,
    announced,
    transaction,
    /** Publishes and forgets to say so, as another process does whose signal is lost. */
    publishSilently: async (queue: string, data: unknown = null, dueAt = clock.now()) => {
      const { id } = await silent.publish(queue, data, { runAt: dueAt });
      return id;
    },
    job: async (id: string): Promise<Job> => {
      const job = await memory.get(id);
      if (!job) throw new Error(`No job ${id}.`);
      return job;
    },
    /** Claims everything of a queue for a process that then dies. */
    claimForDead: (queue: string, leaseMs = 30_000): Promise<ClaimedJob[]> =>
      memory.claim({ workerId: 'dead', queues: [{ queue, limit: 1_000, leaseMs }] }),
    /** Stops while time passes, as a hanging handler needs. */
    stop: async (deadlineMs = 0) => {
      const stopping = worker.stop({ deadlineMs });
      await clock.advance(deadlineMs + 1_000);
      await stopping;
    },
    /** Calls that reached the store through service and worker; those never made are left out. */
    calls: () =>
      Object.fromEntries(
        [
          ...STATEMENTS.map((name) => [name, faults.calls(name)] as const),
          ...SCHEDULE_STATEMENTS.map((name) => [name, scheduleFaults.calls(name)] as const),
        ].filter(([, count]) => count !== 0),
      ),
    callCount: () => STATEMENTS.reduce((sum, name) => sum + faults.calls(name), 0),
  };
}

function recorder(logged: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[]): Logger {
  const log = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void logged.push({ level, message, fields });
  const logger: Logger = { ...silentLogger, warn: log('warn'), error: log('error'), info: log('info'), child: () => logger };
  return logger;
}

/** A handler whose every call waits for the test to end it. It does not listen to its signal. */
export function heldHandler() {
  const runs: {
    readonly message: JobMessage;
    readonly ctx: JobContext;
    readonly end: (value?: unknown) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const handler: JobHandler = (message, ctx) => new Promise((resolve, reject) => runs.push({ message, ctx, end: resolve, fail: reject }));
  return { handler, runs };
}

/** A handler that notes what it is given and is done. */
export function recordingHandler() {
  const seen: JobMessage[] = [];
  const handler: JobHandler = (message) => void seen.push(message);
  return { handler, seen, data: () => seen.map(({ data }) => data) };
}

import type { ClaimedJob, PublishOptions } from '@bellhop/contracts';
import { QueueService, QueueWorker, queueMigrations, SqlJobStore } from '@bellhop/service-queue';
import type { ManualClock } from '@bellhop/testing';
import { QUEUE } from '../../contenders/bellhop.js';
import { type JobData, jobData } from '../../contenders/contender.js';
import { operationsOf } from './operation.js';

const LEASE_MS = 30_000;
const DELAY_MS = 1_000;

interface QueueBench {
  readonly clock: ManualClock;
  readonly jobs: SqlJobStore;
  readonly queue: QueueService;
  /** With a subscription to each of 100 queues. */
  readonly worker: QueueWorker;
}

/** One statement, which is one exchange with a server. */
const oneStatement = () => ({ statements: 1, transactions: 0, roundTrips: 1 });

export const queueOperations = operationsOf<QueueBench>(
  async (store, clock) => {
    await store.migrate(queueMigrations);
    const jobs = new SqlJobStore({ store });
    const queue = new QueueService({ clock: store.clock });
    queue.attach({ jobs, clock: store.clock });
    const worker = new QueueWorker({ jobs, clock: store.clock });
    for (let n = 0; n < 100; n += 1) worker.subscribe(`${QUEUE}-${n}`, () => undefined);
    return { clock, jobs, queue, worker };
  },
  {
    queueIdleTick: { run: ({ worker }) => worker.tick(), limits: oneStatement },
    publish1: { run: ({ queue }) => queue.publish(QUEUE, jobData(0)), limits: oneStatement },
    publishMany1000: { run: ({ queue }) => queue.publishMany(QUEUE, jobs(1_000)), limits: oneStatement },
    jobClaimAck32: {
      prepare: ({ queue }) => queue.publishMany(QUEUE, jobs(64)),
      async run({ jobs }) {
        const claims = await claim(jobs, 32);
        const outcomes = await jobs.ack(claims.map((each) => ({ claim: each, result: { outcome: 'completed' } })));
        expectRows('jobClaimAck32', outcomes.filter((outcome) => outcome === 'acked').length, 32);
      },
      limits: () => ({ statements: 3 }),
    },
    reclaim1000: {
      async prepare({ queue, jobs: store, clock }) {
        await queue.publishMany(QUEUE, jobs(1_000));
        await claim(store, 1_000);
        await clock.advance(LEASE_MS);
      },
      async run({ jobs }) {
        expectRows('reclaim1000', await jobs.reclaim({ limit: 1_000 }), 1_000);
      },
      limits: oneStatement,
    },
    promote1000: {
      async prepare({ queue, clock }) {
        await queue.publishMany(QUEUE, jobs(1_000, DELAY_MS));
        await clock.advance(DELAY_MS);
      },
      async run({ jobs }) {
        expectRows('promote1000', await jobs.promote({ limit: 1_000 }), 1_000);
      },
      limits: oneStatement,
    },
  },
);

function claim(jobs: SqlJobStore, limit: number): Promise<ClaimedJob[]> {
  return jobs.claim({ workerId: 'bench', queues: [{ queue: QUEUE, limit, leaseMs: LEASE_MS }] });
}

function jobs(count: number, delayMs = 0): { data: JobData; options: PublishOptions }[] {
  return Array.from({ length: count }, (_, n) => ({ data: jobData(n), options: { delayMs } }));
}

/** A statement that did less than it is measured for costs less, too. */
function expectRows(operation: string, rows: number, expected: number): void {
  if (rows !== expected) throw new Error(`${operation} took ${rows} rows of ${expected}`);
}

import type { ClaimedJob, NewJob } from '@bellhop/contracts';
import { queueMigrations, SqlJobStore } from '@bellhop/service-queue';
import type { ManualClock } from '@bellhop/testing';
import { jobData } from '../../contenders/contender.js';
import { newJob, QUEUE } from '../../contenders/new-job.js';
import { operationsOf } from './operation.js';

const LEASE_MS = 30_000;
const DELAY_MS = 1_000;

interface QueueBench {
  readonly clock: ManualClock;
  readonly jobs: SqlJobStore;
}

/** One statement, which is one exchange with a server. */
const oneStatement = () => ({ statements: 1, transactions: 0, roundTrips: 1 });

export const queueOperations = operationsOf<QueueBench>(
  async (store, clock) => {
    await store.migrate(queueMigrations);
    return { clock, jobs: new SqlJobStore({ store }) };
  },
  {
    queueIdleTick: { run: ({ jobs }) => jobs.survey({ queues: queues(100) }), limits: oneStatement },
    publish1: { run: ({ jobs, clock }) => jobs.enqueue(newJobs(1, clock)), limits: oneStatement },
    publishMany1000: { run: ({ jobs, clock }) => jobs.enqueue(newJobs(1_000, clock)), limits: oneStatement },
    jobClaimAck32: {
      prepare: ({ jobs, clock }) => jobs.enqueue(newJobs(64, clock)),
      async run({ jobs }) {
        const claims = await claim(jobs, 32);
        const outcomes = await jobs.ack(claims.map((each) => ({ claim: each, result: { outcome: 'completed' } })));
        expectRows('jobClaimAck32', outcomes.filter((outcome) => outcome === 'acked').length, 32);
      },
      limits: () => ({ statements: 3 }),
    },
    reclaim1000: {
      async prepare({ jobs, clock }) {
        await jobs.enqueue(newJobs(1_000, clock));
        await claim(jobs, 1_000);
        await clock.advance(LEASE_MS);
      },
      async run({ jobs }) {
        expectRows('reclaim1000', await jobs.reclaim({ limit: 1_000 }), 1_000);
      },
      limits: oneStatement,
    },
    promote1000: {
      async prepare({ jobs, clock }) {
        await jobs.enqueue(newJobs(1_000, clock, DELAY_MS));
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

function queues(count: number): { queue: string }[] {
  return Array.from({ length: count }, (_, index) => ({ queue: `${QUEUE}${index === 0 ? '' : index}` }));
}

function newJobs(count: number, clock: ManualClock, delayMs = 0): NewJob[] {
  return Array.from({ length: count }, (_, n) =>
    newJob(jobData(n), { id: `job-${String(n).padStart(8, '0')}`, dueAt: clock.now() + delayMs }),
  );
}

/** A statement that did less than it is measured for costs less, too. */
function expectRows(operation: string, rows: number, expected: number): void {
  if (rows !== expected) throw new Error(`${operation} took ${rows} rows of ${expected}`);
}

import type { Store } from '@bellhop/contracts';
import { systemClock, systemRandom } from '@bellhop/kernel';
import { queueMigrations, SqlJobStore } from '@bellhop/service-queue';
import { createIdSource, openStore } from '@bellhop/store';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import type { Contender, ContenderKind, JobData, Work } from './contender.js';
import { postgresDurability, sqliteDurability } from './durability.js';
import { newJob, QUEUE } from './new-job.js';

const LEASE_MS = 30_000;
const LOOK_AGAIN_MS = 5;

/** The job store by itself, with no service and no worker around it: claims of so many jobs, each acked before the next. */
export const bellhopKinds: readonly ContenderKind[] = [
  { setting: 'job store, claims of 10', limit: 10, affects: ['publish', 'drain'] as const },
  { setting: 'job store, claims of 500', limit: 500, affects: ['drain'] as const },
].map(({ setting, limit, affects }) => ({
  product: 'bellhop',
  setting,
  stores: TEST_STORE_NAMES,
  shown: { limit },
  affects,
  pollMs: 0,
  open: (url) => open(url, limit),
}));

async function open(url: string, limit: number): Promise<Contender> {
  const store = await openStore({ url });
  await store.migrate(queueMigrations);
  const jobs = new SqlJobStore({ store });
  const ids = createIdSource({ clock: systemClock, random: systemRandom });
  return {
    async publish(job, { runAt = Date.now() } = {}) {
      await jobs.enqueue([newJob(job, { id: ids(), dueAt: runAt })]);
    },
    async publishMany(many) {
      const dueAt = Date.now();
      await jobs.enqueue(many.map((job) => newJob(job, { id: ids(), dueAt })));
    },
    work: async (handler) => workOn(jobs, limit, handler),
    async unfinished() {
      const stats = await jobs.stats(QUEUE);
      return stats.reduce((sum, { scheduled, pending, running }) => sum + scheduled + pending + running, 0);
    },
    durability: () => durabilityOf(store),
    close: () => store.close(),
  };
}

function workOn(jobs: SqlJobStore, limit: number, handler: (job: JobData) => void): Work {
  let stopping = false;
  const running = (async () => {
    while (!stopping) {
      const claims = await jobs.claim({ workerId: `process-${process.pid}`, queues: [{ queue: QUEUE, limit, leaseMs: LEASE_MS }] });
      for (const { data } of claims) handler(data as JobData);
      await jobs.ack(claims.map((claim) => ({ claim, result: { outcome: 'completed' } })));
      // A turn of the event loop between two claims, as a worker has it: on SQLite they are synchronous.
      await new Promise((resolve) => (claims.length > 0 ? setImmediate(resolve) : setTimeout(resolve, LOOK_AGAIN_MS)));
    }
  })();
  return {
    async stop() {
      stopping = true;
      await running;
    },
  };
}

async function durabilityOf({ dialect, knex }: Store): Promise<Readonly<Record<string, string>>> {
  if (dialect === 'postgres') return postgresDurability(async (setting) => (await knex.raw(`SHOW ${setting}`)).rows[0]?.[setting]);
  return sqliteDurability(async (name) => Object.values((await knex.raw(`PRAGMA ${name}`))[0] as object)[0]);
}

import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { WorkerEvents } from 'graphile-worker';
import { connectionsGone } from './connections-gone.js';
import type { Contender, ContenderKind, JobData } from './contender.js';
import { postgresDurability } from './durability.js';
import { loadPeer } from './load-peer.js';

const TASK = 'bench';

interface Settings {
  readonly concurrentJobs?: number;
  readonly maxPoolSize?: number;
  readonly localQueue?: { readonly size: number };
  readonly completeJobBatchDelay?: number;
  readonly failJobBatchDelay?: number;
}

/** What its page on performance recommends for the highest rate. */
const BEST: Settings = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

export const graphileWorkerKinds: readonly ContenderKind[] = [
  { setting: 'defaults', settings: {} },
  { setting: 'localQueue 500', settings: BEST },
].map(({ setting, settings }) => ({
  product: 'graphile-worker',
  setting,
  stores: ['postgres'],
  shown: { ...settings },
  affects: ['publish', 'drain', 'wait'],
  // It is notified of every job that is due at once.
  pollMs: 0,
  open: (url) => open(url, settings),
}));

async function open(url: string, settings: Settings): Promise<Contender> {
  const applicationName = `graphile-worker-${randomUUID()}`;
  const named = new URL(url);
  named.searchParams.set('application_name', applicationName);
  const connectionString = named.href;
  const { Logger, makeWorkerUtils, run } = await loadPeer<typeof import('graphile-worker')>('graphile-worker');
  const logger = new Logger(() => () => {});
  const { maxPoolSize, ...worker } = settings;
  const pool = maxPoolSize === undefined ? {} : { maxPoolSize };
  const utils = await makeWorkerUtils({ connectionString, logger, ...pool });
  await utils.migrate();
  return {
    async publish(job, { runAt } = {}) {
      await utils.addJob(TASK, job, runAt === undefined ? {} : { runAt: new Date(runAt) });
    },
    async publishMany(jobs) {
      await utils.addJobs(jobs.map((payload) => ({ identifier: TASK, payload })));
    },
    async work(handler) {
      const events = new EventEmitter() as WorkerEvents;
      const listening = new Promise<void>((resolve) => events.once('pool:listen:success', () => resolve()));
      const runner = await run({
        connectionString,
        logger,
        events,
        noHandleSignals: true,
        ...pool,
        preset: { worker },
        taskList: { [TASK]: (payload) => handler(payload as JobData) },
      });
      await listening;
      return { stop: () => runner.stop() };
    },
    unfinished: () =>
      utils.withPgClient(async (client) => {
        const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM graphile_worker._private_jobs');
        return rows[0]?.n ?? 0;
      }),
    durability: () =>
      postgresDurability((setting) => utils.withPgClient(async (client) => (await client.query(`SHOW ${setting}`)).rows[0]?.[setting])),
    async close() {
      await utils.release();
      await connectionsGone(url, applicationName);
    },
  };
}

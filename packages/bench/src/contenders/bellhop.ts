import { type IQueueService, type JobMessage, QUEUE as QUEUE_SERVICE, STORE, type Store, type SubscribeOptions } from '@bellhop/contracts';
import { Kernel, silentLogger } from '@bellhop/kernel';
import { queuePlugin } from '@bellhop/service-queue';
import { storePlugin } from '@bellhop/store';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import type { Contender, ContenderKind, JobData } from './contender.js';
import { postgresDurability, sqliteDurability } from './durability.js';

/** All jobs of a benchmark go there. */
export const QUEUE = 'bench';

type Settings = SubscribeOptions & { readonly batch?: number };

/** The whole of it, as a host runs it: kernel, store and service with their defaults. */
export interface Bellhop {
  readonly queue: IQueueService;
  readonly store: Store;
  stop(): Promise<void>;
}

export const bellhopKinds: readonly ContenderKind[] = [
  { setting: 'defaults', settings: {}, affects: ['publish', 'drain', 'wait'] as const },
  { setting: 'batches of 500', settings: { batch: 500, concurrency: 2 }, affects: ['drain'] as const },
].map(({ setting, settings, affects }) => ({
  product: 'bellhop',
  setting,
  stores: TEST_STORE_NAMES,
  shown: settings,
  affects,
  pollMs: 0,
  open: (url) => open(url, settings),
}));

export async function startBellhop(url: string): Promise<Bellhop> {
  const kernel = new Kernel({ logger: silentLogger }).use(storePlugin({ url })).use(queuePlugin());
  await kernel.start();
  return {
    queue: kernel.resolve(QUEUE_SERVICE),
    store: kernel.resolve(STORE),
    async stop() {
      await kernel.stop();
    },
  };
}

async function open(url: string, settings: Settings): Promise<Contender> {
  const { queue, store, stop } = await startBellhop(url);
  return {
    async publish(job, { runAt } = {}) {
      await queue.publish(QUEUE, job, runAt === undefined ? {} : { runAt });
    },
    async publishMany(jobs) {
      await queue.publishMany(
        QUEUE,
        jobs.map((data) => ({ data })),
      );
    },
    async work(handler) {
      const subscription = subscribe(queue, handler, settings);
      return { stop: () => subscription.unsubscribe() };
    },
    async unfinished() {
      const stats = await queue.stats(QUEUE);
      return stats.reduce((sum, { scheduled, pending, running }) => sum + scheduled + pending + running, 0);
    },
    durability: () => durabilityOf(store),
    close: stop,
  };
}

function subscribe(queue: IQueueService, handler: (job: JobData) => void, { batch, ...options }: Settings) {
  if (batch === undefined) return queue.subscribe<JobData>(QUEUE, ({ data }) => handler(data), options);
  return queue.subscribe<JobData>(
    QUEUE,
    (messages: readonly JobMessage<JobData>[]) => {
      for (const { data } of messages) handler(data);
    },
    { ...options, batch },
  );
}

async function durabilityOf({ dialect, knex }: Store): Promise<Readonly<Record<string, string>>> {
  if (dialect === 'postgres') return postgresDurability(async (setting) => (await knex.raw(`SHOW ${setting}`)).rows[0]?.[setting]);
  return sqliteDurability(async (name) => Object.values((await knex.raw(`PRAGMA ${name}`))[0] as object)[0]);
}

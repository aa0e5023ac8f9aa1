import type PgBoss from 'pg-boss';
import type { Contender, ContenderKind, JobData, Work } from './contender.js';
import { postgresDurability } from './durability.js';
import { loadPeer } from './load-peer.js';

const QUEUE = 'bench';
const BATCH = 1_000;
/** Its shortest polling interval. */
const SHORTEST_POLL_MS = 500;
const LOOK_EVERY_MS = 5;

/** pg-boss 10, the last that runs on Node 20. */
export const pgBossKinds: readonly ContenderKind[] = [
  {
    product: 'pg-boss',
    setting: 'defaults',
    stores: ['postgres'],
    shown: {},
    affects: ['publish', 'drain', 'wait'],
    pollMs: 2_000,
    open: (url) => open(url, {}, workByDefault),
  },
  {
    product: 'pg-boss',
    setting: `fetch and complete ${BATCH}`,
    stores: ['postgres'],
    shown: { max: 25, batchSize: BATCH, pollMsWhenEmpty: SHORTEST_POLL_MS },
    affects: ['publish', 'drain', 'wait'],
    pollMs: SHORTEST_POLL_MS,
    open: (url) => open(url, { max: 25 }, workInBatches),
  },
];

type Handler = (job: JobData) => void;

async function open(
  connectionString: string,
  settings: PgBoss.ConstructorOptions,
  work: (boss: PgBoss, handler: Handler) => Promise<Work>,
): Promise<Contender> {
  const { default: Boss } = await loadPeer<{ default: typeof PgBoss }>('pg-boss');
  const boss = new Boss({ connectionString, ...settings });
  // Without a listener an error of a background poll ends the process.
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    async publish(job, { runAt } = {}) {
      await boss.send(QUEUE, job, runAt === undefined ? {} : { startAfter: new Date(runAt) });
    },
    async publishMany(jobs) {
      await boss.insert(jobs.map((data) => ({ name: QUEUE, data })));
    },
    work: (handler) => work(boss, handler),
    unfinished: () => jobsBefore(boss, 'completed'),
    durability: () => postgresDurability(async (setting) => (await boss.getDb().executeSql(`SHOW ${setting}`, [])).rows[0]?.[setting]),
    async close() {
      await boss.stop({ graceful: false, wait: true });
    },
  };
}

async function workByDefault(boss: PgBoss, handler: Handler): Promise<Work> {
  await boss.work<JobData>(QUEUE, async (jobs) => {
    for (const { data } of jobs) handler(data);
  });
  return {
    async stop() {
      await boss.offWork(QUEUE);
      // It does not wait for what runs.
      while ((await jobsBefore(boss, 'completed')) > (await jobsBefore(boss, 'active'))) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  };
}

/** Jobs in a state that comes before this one. */
async function jobsBefore(boss: PgBoss, before: 'active' | 'completed'): Promise<number> {
  return Number(await boss.getQueueSize(QUEUE, { before }));
}

/** By hand, as its documentation shows for the highest rate: `fetch` and `complete`, and its shortest interval when there was nothing. */
async function workInBatches(boss: PgBoss, handler: Handler): Promise<Work> {
  let stopping = false;
  let endSleep = () => {};
  const running = (async () => {
    while (!stopping) {
      const jobs = await boss.fetch<JobData>(QUEUE, { batchSize: BATCH });
      for (const { data } of jobs) handler(data);
      if (jobs.length > 0) {
        await boss.complete(
          QUEUE,
          jobs.map(({ id }) => id),
        );
      } else {
        await new Promise<void>((resolve) => {
          endSleep = resolve;
          setTimeout(resolve, SHORTEST_POLL_MS);
        });
      }
    }
  })();
  return {
    async stop() {
      stopping = true;
      endSleep();
      await running;
    },
  };
}

import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import type { Queue } from 'plainjob';
import type { Contender, ContenderKind, JobData, Work } from './contender.js';
import { sqliteDurability } from './durability.js';
import { loadPeer } from './load-peer.js';

const TYPE = 'bench';
const PENDING = 0;
const PROCESSING = 1;
const silent = { error() {}, warn() {}, info() {}, debug() {} };

/** plainjob 0.0.14: WAL, `synchronous` NORMAL and 5 s of `busy_timeout`, as it sets them itself. */
export const plainjobKinds: readonly ContenderKind[] = [
  { setting: 'defaults', pollMs: 1_000, affects: ['publish', 'drain', 'wait'] as const },
  // The one setting it documents that is about speed.
  { setting: 'polls every 10 ms', pollMs: 10, affects: ['wait'] as const },
].map(({ setting, pollMs, affects }) => ({
  product: 'plainjob',
  setting,
  stores: ['sqlite'],
  shown: { pollIntervall: pollMs },
  affects,
  pollMs,
  open: (url) => open(url, pollMs),
}));

async function open(url: string, pollIntervall: number): Promise<Contender> {
  const { better, defineQueue, defineWorker } = await loadPeer<typeof import('plainjob')>('plainjob');
  const { default: Sqlite } = await loadPeer<{ default: typeof Database }>('better-sqlite3');
  const db = new Sqlite(fileURLToPath(url));
  const queue = defineQueue({ connection: better(db), logger: silent });
  return {
    async publish(job, { runAt } = {}) {
      queue.add(TYPE, job, runAt === undefined ? {} : { delay: Math.max(0, runAt - Date.now()) });
    },
    async publishMany(jobs) {
      queue.addMany(TYPE, [...jobs]);
    },
    async work(handler) {
      return keepWorking(() =>
        defineWorker(TYPE, (job) => handler(JSON.parse(job.data) as JobData), { queue, pollIntervall, logger: silent }),
      );
    },
    unfinished: async () => unfinished(queue),
    durability: () => sqliteDurability(async (pragma) => db.pragma(pragma, { simple: true })),
    async close() {
      queue.close();
    },
  };
}

/** An error of the database ends its worker for good; whoever runs it starts it again. */
function keepWorking(define: () => ReturnType<typeof import('plainjob')['defineWorker']>): Work {
  let stopping = false;
  let worker = define();
  const running = (async () => {
    while (!stopping) {
      try {
        await worker.start();
      } catch {
        worker = define();
      }
    }
  })();
  return {
    async stop() {
      stopping = true;
      await worker.stop();
      await running;
    },
  };
}

function unfinished(queue: Queue): number {
  return queue.countJobs({ type: TYPE, status: PENDING }) + queue.countJobs({ type: TYPE, status: PROCESSING });
}

import type { TestStoreName } from '@bellhop/testing';
import { type Bellhop, QUEUE, startBellhop } from '../contenders/bellhop.js';
import { jobData } from '../contenders/contender.js';
import { alternate } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { Starts } from '../measure/starts.js';
import { percentile, rounded } from '../measure/statistics.js';
import { table } from '../report/benchmarks-page.js';
import type { Workload, WorkloadSettings } from '../workload.js';
import { wholeNumber } from '../workload-options.js';

const TENANTS = 25;
const JOBS_EACH = 10;
const BACKLOG = 100_000;
const QUICK_BACKLOG = 2_000;
const BATCH = 1_000;
const BIG_TENANT = 'big';
const PATIENCE_MS = 60_000;

const SETUPS = ['alone', 'behind'] as const;
type Setup = (typeof SETUPS)[number];

interface Plan {
  readonly backlog: number;
  readonly handlerMs: number;
}

/** What one organization's backlog does to the others: their waits with it in the queue, over those without. */
export const fair: Workload = {
  name: 'fair',
  description: `wait of ${TENANTS} organizations with ${JOBS_EACH} jobs each behind one with 100 000, over the same without it`,
  options: [{ flags: '--handler-ms <n>', description: 'milliseconds that a job takes, 0 to 1000', default: '5' }],
  peers: false,
  defaultStores: ['sqlite'],
  async run(settings) {
    const [store] = settings.stores as [TestStoreName];
    const handlerMs = wholeNumber('--handler-ms', settings.options.handlerMs, 0, 1_000);
    const plan = { backlog: settings.quick ? QUICK_BACKLOG : BACKLOG, handlerMs };
    const rounds = await alternate(SETUPS, (setup) => measure(settings, store, setup === 'alone' ? { ...plan, backlog: 0 } : plan));
    const of = (setup: Setup) => {
      const waits = (rounds.get(setup) ?? []).flat();
      return { samples: waits.length, p50Ms: rounded(percentile(waits, 50)), p99Ms: rounded(percentile(waits, 99)) };
    };
    const [alone, behind] = [of('alone'), of('behind')];
    return { json: { store, ...plan, p99Ratio: rounded(behind.p99Ms / alone.p99Ms), alone, behind }, excesses: [] };
  },
  report(results) {
    const rows = results.map(({ result }) => {
      const [alone, behind] = [result.alone, result.behind] as { p50Ms: number; p99Ms: number }[];
      return [
        `${result.store}, ${result.handlerMs} ms a job`,
        `${alone?.p50Ms} / ${alone?.p99Ms}`,
        `${behind?.p50Ms} / ${behind?.p99Ms}`,
        `${result.p99Ratio}×`,
      ];
    });
    return { markdown: table(['run', 'alone, p50 / p99 ms', 'behind 100 000, p50 / p99 ms', 'p99 ratio'], rows), charts: [] };
  },
};

/** @returns how long each job of the small organizations waited, from its publish to its start. */
async function measure(settings: WorkloadSettings, store: TestStoreName, { backlog, handlerMs }: Plan): Promise<number[]> {
  const database = await settings.database(store);
  const bellhop = await startBellhop(database.options.url as string);
  try {
    await fill(bellhop, backlog);
    const starts = new Starts();
    let firstOfBacklog = () => {};
    const underWay = new Promise<void>((resolve) => {
      firstOfBacklog = resolve;
    });
    bellhop.queue.subscribe<{ n: number }>(QUEUE, async ({ organizationId, data }) => {
      if (organizationId === BIG_TENANT) firstOfBacklog();
      else starts.note(data.n);
      await new Promise((resolve) => setTimeout(resolve, handlerMs));
    });
    if (backlog > 0) await underWay;
    return await Promise.all(Array.from({ length: TENANTS }, (_, tenant) => waitsOf(bellhop, starts, tenant))).then((waits) =>
      waits.flat(),
    );
  } finally {
    await bellhop.stop();
    await database.drop();
  }
}

async function fill({ queue }: Bellhop, backlog: number): Promise<void> {
  for (let first = 0; first < backlog; first += BATCH) {
    const jobs = Array.from({ length: BATCH }, (_, index) => ({ data: jobData(first + index), options: { organizationId: BIG_TENANT } }));
    await queue.publishMany(QUEUE, jobs);
  }
}

async function waitsOf({ queue }: Bellhop, starts: Starts, tenant: number): Promise<number[]> {
  const numbers = Array.from({ length: JOBS_EACH }, (_, index) => tenant * JOBS_EACH + index);
  const published = monotonicMs();
  await queue.publishMany(
    QUEUE,
    numbers.map((n) => ({ data: jobData(n), options: { organizationId: `tenant-${tenant}` } })),
  );
  return Promise.all(numbers.map(async (n) => (await starts.of(n, PATIENCE_MS)) - published));
}

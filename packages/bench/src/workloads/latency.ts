import type { TestStoreName } from '@bellhop/testing';
import { type Contender, type ContenderKind, jobData } from '../contenders/contender.js';
import { sidesOf } from '../contenders/contenders.js';
import { WorkerProcesses } from '../contenders/worker-processes.js';
import { alternate, ROUNDS } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { Starts } from '../measure/starts.js';
import { waitReport } from '../measure/wait-report.js';
import { waitTable } from '../report/wait-table.js';
import type { Workload, WorkloadSettings } from '../workload.js';

/** Jobs of a round at most, and the milliseconds after which a round of a side that polls has shown enough. */
const BOUNDS = { jobs: Math.ceil(1_000 / ROUNDS), ms: 20_000 };
const QUICK_BOUNDS = { jobs: 5, ms: Number.POSITIVE_INFINITY };
/** Milliseconds between two jobs, at least: the worker has noted the one before, and sleeps. */
const GAP_MS = { least: 5, most: 25 };
const PATIENCE_MS = 60_000;

type Bounds = typeof BOUNDS;

/** How long a job waits for a worker that has nothing else to do. */
export const latency: Workload = {
  name: 'latency',
  description: 'milliseconds from the call of publish to the start of the handler, with an idle worker in the same process and in another',
  options: [],
  peers: true,
  defaultStores: ['sqlite'],
  async run(settings) {
    const [store] = settings.stores as [TestStoreName];
    const bounds = settings.quick ? QUICK_BOUNDS : BOUNDS;
    const sides = sidesOf(store, settings.peer, 'wait');
    const kinds = [...sides.ours, ...sides.peers];
    const same = await alternate(kinds, (kind) => measure(kind, { settings, store, bounds, listen: inSameProcess }));
    const json = { store, ...waitReport(sides, same) };
    // Jobs in memory are in one process.
    if (store === 'memory') return { json, excesses: [] };
    const other = await alternate(kinds, (kind) => measure(kind, { settings, store, bounds, listen: inOtherProcess }));
    return { json: { ...json, otherProcess: waitReport(sides, other) }, excesses: [] };
  },
  report: (results) => ({
    markdown: waitTable(
      results.flatMap(({ result }) => [
        { title: `${result.store}, same process`, report: result },
        ...(result.otherProcess ? [{ title: `${result.store}, other process`, report: result.otherProcess as typeof result }] : []),
      ]),
    ),
    charts: [],
  }),
};

interface Measuring {
  readonly settings: WorkloadSettings;
  readonly store: TestStoreName;
  readonly bounds: Bounds;
  readonly listen: Listen;
}

/** Sets a worker to work whose starts are noted. @returns what ends it. */
type Listen = (kind: ContenderKind, url: string, contender: Contender, starts: Starts) => Promise<() => Promise<unknown>>;

const inSameProcess: Listen = async (_kind, _url, contender, starts) => {
  const work = await contender.work(({ n }) => starts.note(n));
  return () => work.stop();
};

const inOtherProcess: Listen = async (kind, url, _contender, starts) => {
  const workers = await WorkerProcesses.start(kind, url, 1, 'announce');
  workers.listen('start', ({ n, at }) => starts.note(n, at));
  workers.begin();
  await workers.working();
  return async () => {
    await workers.stop();
    await workers.kill();
  };
};

async function measure(kind: ContenderKind, { settings, store, bounds, listen }: Measuring): Promise<number[]> {
  const database = await settings.database(store);
  const url = database.options.url as string;
  const contender = await kind.open(url);
  const starts = new Starts();
  let end: () => Promise<unknown> = async () => {};
  try {
    end = await listen(kind, url, contender, starts);
    return await publishOneByOne(contender, starts, { ...bounds, pollMs: kind.pollMs });
  } finally {
    await end();
    await contender.close();
    await database.drop();
  }
}

async function publishOneByOne(contender: Contender, starts: Starts, bounds: Bounds & { readonly pollMs: number }): Promise<number[]> {
  const waits: number[] = [];
  const begin = monotonicMs();
  for (let n = 0; n < bounds.jobs && monotonicMs() - begin < bounds.ms; n += 1) {
    const gap = GAP_MS.least + Math.random() * Math.max(GAP_MS.most - GAP_MS.least, bounds.pollMs);
    await new Promise((resolve) => setTimeout(resolve, gap));
    const at = monotonicMs();
    const [begun] = await Promise.all([starts.of(n, PATIENCE_MS), contender.publish(jobData(n))]);
    waits.push(begun - at);
  }
  return waits;
}

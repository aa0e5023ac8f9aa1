import type { TestStoreName } from '@bellhop/testing';
import { type Contender, type ContenderKind, jobData } from '../contenders/contender.js';
import { sidesOf } from '../contenders/contenders.js';
import { openRawInsert } from '../contenders/raw-insert.js';
import { alternate } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { type RateFigure, rateReport } from '../measure/rate-report.js';
import { median, rounded } from '../measure/statistics.js';
import { rateCharts, rateTable } from '../report/rate-table.js';
import type { Workload, WorkloadSettings } from '../workload.js';

const IN_FLIGHT = 64;
const BATCH = 1_000;
/** Jobs of one round at most, and the milliseconds after which a slow side has shown enough. */
const BOUNDS = { jobs: 100_000, ms: 4_000, warmUp: 500 };
const QUICK_JOBS = { single: 20, concurrent: 2 * IN_FLIGHT, batch: 2 * BATCH };

type Mode = keyof typeof QUICK_JOBS;

/** How many jobs were published, and in what time. */
interface Published {
  readonly jobs: number;
  readonly ms: number;
}

interface Bounds {
  readonly jobs: number;
  readonly ms: number;
  /** Published first, and not counted: a JIT compiler and a pool that are cold say little. */
  readonly warmUp: number;
}

/** How fast jobs are stored: the publisher's side alone, nobody works on them. */
export const enqueue: Workload = {
  name: 'enqueue',
  description: 'jobs published per second: one by one, 64 in flight, or in batches of 1 000',
  options: [{ flags: '--mode <mode>', description: 'single, concurrent (64 in flight), batch (of 1 000)', default: 'single' }],
  peers: true,
  defaultStores: ['sqlite'],
  async run(settings) {
    const [store] = settings.stores as [TestStoreName];
    const mode = settings.options.mode as Mode;
    if (!Object.hasOwn(QUICK_JOBS, mode)) throw new RangeError(`--mode ${mode}: allowed are ${Object.keys(QUICK_JOBS).join(', ')}.`);
    const bounds = settings.quick ? { jobs: QUICK_JOBS[mode], ms: Number.POSITIVE_INFINITY, warmUp: 0 } : BOUNDS;
    const sides = sidesOf(store, settings.peer, 'publish');
    const kinds = [...sides.ours, ...sides.peers];
    const raw = store === 'sqlite' && mode === 'batch' ? [RAW] : [];
    const figures = await alternate<ContenderKind | typeof RAW, RateFigure>([...kinds, ...raw], (side) =>
      side === RAW ? measureRaw(settings, bounds) : measureKind(side, { settings, store, mode, bounds }),
    );
    const report = rateReport(sides, figures as Map<ContenderKind, RateFigure[]>);
    const rawPerSecond = median((figures.get(RAW) ?? []).map(({ perSecond }) => perSecond));
    const json = {
      store,
      mode,
      ...report,
      ...(raw.length > 0 ? { raw: { perSecond: rounded(rawPerSecond), ratio: rounded(report.perSecond / rawPerSecond) } } : {}),
    };
    return { json, excesses: [] };
  },
  report: (results) => ({
    markdown: rateTable(results, ({ result }) => `${result.store}, ${MODES[result.mode as Mode]}`),
    charts: rateCharts('enqueue', 'Jobs published per second', results, ({ result }) => `${result.store}, ${MODES[result.mode as Mode]}`),
  }),
};

const MODES = { single: 'one by one', concurrent: `${IN_FLIGHT} in flight`, batch: `batches of ${BATCH}` } as const;

/** The side that is no product. */
const RAW = 'raw' as const;

interface Measuring {
  readonly settings: WorkloadSettings;
  readonly store: TestStoreName;
  readonly mode: Mode;
  readonly bounds: Bounds;
}

async function measureKind(kind: ContenderKind, { settings, store, mode, bounds }: Measuring): Promise<RateFigure> {
  const database = await settings.database(store);
  const contender = await kind.open(database.options.url as string);
  try {
    const warmUp = await PUBLISH[mode](contender, { ...bounds, jobs: bounds.warmUp });
    const { jobs, ms } = await PUBLISH[mode](contender, bounds);
    const stored = await contender.unfinished();
    if (stored !== warmUp.jobs + jobs) throw new Error(`${kind.product} stored ${stored} jobs of ${warmUp.jobs + jobs} published`);
    return { perSecond: jobs / (ms / 1_000), durability: await contender.durability() };
  } finally {
    await contender.close();
    await database.drop();
  }
}

async function measureRaw(settings: WorkloadSettings, bounds: Bounds): Promise<RateFigure> {
  const database = await settings.database('sqlite');
  const raw = await openRawInsert(database.options.url as string);
  try {
    // The making of the rows is not timed.
    let ms = 0;
    let jobs = 0;
    for (; jobs < bounds.jobs && ms < bounds.ms; jobs += BATCH) {
      const rows = raw.rows(BATCH, jobs);
      const start = monotonicMs();
      raw.insert(rows);
      ms += monotonicMs() - start;
    }
    return { perSecond: jobs / (ms / 1_000), durability: {} };
  } finally {
    raw.close();
    await database.drop();
  }
}

const PUBLISH: Readonly<Record<Mode, (contender: Contender, bounds: Bounds) => Promise<Published>>> = {
  single: (contender, bounds) => publishInFlight(contender, 1, bounds),
  concurrent: (contender, bounds) => publishInFlight(contender, IN_FLIGHT, bounds),
  async batch(contender, { jobs: most, ms: longest }) {
    let jobs = 0;
    const start = monotonicMs();
    for (; jobs < most && monotonicMs() - start < longest; jobs += BATCH) {
      const first = jobs;
      await contender.publishMany(Array.from({ length: BATCH }, (_, index) => jobData(first + index)));
    }
    return { jobs, ms: monotonicMs() - start };
  },
};

/** So many publishers, each with one job on its way. */
async function publishInFlight(contender: Contender, publishers: number, { jobs: most, ms: longest }: Bounds): Promise<Published> {
  let jobs = 0;
  const start = monotonicMs();
  const publisher = async (): Promise<void> => {
    while (jobs < most && monotonicMs() - start < longest) {
      const n = jobs;
      jobs += 1;
      await contender.publish(jobData(n));
    }
  };
  await Promise.all(Array.from({ length: publishers }, publisher));
  return { jobs, ms: monotonicMs() - start };
}

import type { TestStoreName } from '@bellhop/testing';
import { type Contender, type ContenderKind, jobData } from '../contenders/contender.js';
import { type Sides, sidesOf } from '../contenders/contenders.js';
import { WorkerProcesses } from '../contenders/worker-processes.js';
import { alternate } from '../measure/alternate.js';
import { monotonicMs } from '../measure/monotonic.js';
import { type RateFigure, type RateReport, rateReport } from '../measure/rate-report.js';
import { tallyRuns } from '../measure/tally-runs.js';
import { rateCharts, rateTable } from '../report/rate-table.js';
import type { StoredResult } from '../results.js';
import type { Excess, Workload, WorkloadSettings } from '../workload.js';
import { wholeNumber } from '../workload-options.js';

const JOBS = 100_000;
const QUICK_JOBS = 300;
/** Jobs of one publish while the queue is filled. */
const BATCH = 1_000;
/** A peer that takes longer has shown its rate; ours always goes to the end. */
const PEER_CAP_MS = 30_000;
/** So long without a job that ran, nor one fewer in the database: what is left is lost. */
const STALL_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** What one round came to. */
interface DrainFigure extends RateFigure {
  /** Jobs that never ran. */
  readonly lost: number;
  /** Runs of a job after its first. */
  readonly duplicates: number;
  /** Jobs that ran: all of them, unless a cap ended it. */
  readonly ran: number;
}

/** How fast workers get through a full queue: the worker's side alone, with handlers that do nothing, in processes of their own. */
export const drain: Workload = {
  name: 'drain',
  description: 'jobs per second of workers that find 100 000 no-op jobs, in processes of their own',
  options: [
    { flags: '--processes <list>', description: 'worker processes: one measurement for each number', default: '1,4' },
    { flags: '--jobs <n>', description: `jobs in the queue, ${QUICK_JOBS} with --quick`, default: String(JOBS) },
  ],
  peers: true,
  defaultStores: ['sqlite'],
  async run(settings) {
    const [store] = settings.stores as [TestStoreName];
    if (store === 'memory')
      throw new RangeError('--store memory: its jobs are in one process, and the workers are processes of their own.');
    const processes = (settings.options.processes ?? '').split(',').map((each) => wholeNumber('--processes', each, 1, 32));
    const jobs = settings.quick ? QUICK_JOBS : wholeNumber('--jobs', settings.options.jobs, 1, 10_000_000);
    const sides = sidesOf(store, settings.peer, 'drain');
    const runs: [number, DrainReport][] = [];
    for (const count of processes) runs.push([count, await measure({ settings, store, jobs, processes: count, sides })]);
    const { perSecond, ratio, peer } = (runs[0] as [number, DrainReport])[1];
    const total = (of: 'lost' | 'duplicates'): number => runs.reduce((sum, [, report]) => sum + report[of], 0);
    const json = {
      store,
      jobs,
      perSecond,
      ...(ratio === undefined ? {} : { ratio, peer }),
      lost: total('lost'),
      duplicates: total('duplicates'),
      processes: Object.fromEntries(runs),
    };
    return { json, excesses: excesses(json) };
  },
  report(results) {
    const runs = results.flatMap((stored) =>
      Object.entries(stored.result.processes as Record<string, DrainReport>).map(([count, report]) => ({
        ...stored,
        result: { ...report, title: `${stored.result.store}, ${count === '1' ? '1 process' : `${count} processes`}` },
      })),
    );
    const titleOf = ({ result }: StoredResult): string => String(result.title);
    return { markdown: rateTable(runs, titleOf), charts: rateCharts('drain', 'Jobs worked off per second', runs, titleOf) };
  },
};

interface DrainReport extends RateReport {
  readonly lost: number;
  readonly duplicates: number;
}

interface Measuring {
  readonly settings: WorkloadSettings;
  readonly store: TestStoreName;
  readonly jobs: number;
  readonly processes: number;
  readonly sides: Sides;
}

async function measure(measuring: Measuring): Promise<DrainReport> {
  const { sides } = measuring;
  const figures = await alternate([...sides.ours, ...sides.peers], (kind) => drainOnce(kind, measuring));
  const ours = sides.ours.flatMap((kind) => figures.get(kind) ?? []);
  const report = rateReport(sides, figures);
  return {
    ...report,
    // Of the peers, too, and what their cap cut off.
    sides: report.sides.map((side, place) => {
      const of = figures.get([...sides.ours, ...sides.peers][place] as ContenderKind) ?? [];
      return { ...side, ran: sum(of, 'ran'), lost: sum(of, 'lost'), duplicates: sum(of, 'duplicates') };
    }),
    lost: sum(ours, 'lost'),
    duplicates: sum(ours, 'duplicates'),
  };
}

async function drainOnce(kind: ContenderKind, { settings, store, jobs, processes }: Measuring): Promise<DrainFigure> {
  const database = await settings.database(store);
  const url = database.options.url as string;
  const contender = await kind.open(url);
  let workers: WorkerProcesses | undefined;
  try {
    await fill(contender, jobs);
    workers = await WorkerProcesses.start(kind, url, processes, 'count');
    const start = monotonicMs();
    workers.begin();
    const capped = await drained(workers, contender, { jobs, capMs: kind.product === 'bellhop' ? Number.POSITIVE_INFINITY : PEER_CAP_MS });
    const reports = await workers.stop();
    const { ran, lost, duplicates, lastAt } = tallyRuns(reports, jobs);
    const perSecond = ran / ((lastAt - start) / 1_000);
    return { perSecond, durability: await contender.durability(), ran, lost: capped ? 0 : lost, duplicates };
  } finally {
    await workers?.kill();
    await contender.close();
    await database.drop();
  }
}

async function fill(contender: Contender, jobs: number): Promise<void> {
  for (let first = 0; first < jobs; first += BATCH) {
    await contender.publishMany(Array.from({ length: Math.min(BATCH, jobs - first) }, (_, index) => jobData(first + index)));
  }
}

/**
 * Resolves when nothing is left in the database, when nothing has happened for too long, or at the cap.
 *
 * @returns whether it was the cap.
 */
async function drained(workers: WorkerProcesses, contender: Contender, { jobs, capMs }: { jobs: number; capMs: number }): Promise<boolean> {
  const counts = new Map<number, number>();
  workers.listen('count', ({ ran }, child) => counts.set(child, ran));
  const start = monotonicMs();
  let seen = { ran: 0, left: jobs, at: start };
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const at = monotonicMs();
    const ran = [...counts.values()].reduce((total, count) => total + count, 0);
    // The database is asked at the end, or when the workers say nothing: a worker that never yields to its event loop cannot.
    const left = ran >= jobs || ran === seen.ran ? await contender.unfinished() : seen.left;
    if (left === 0) return false;
    if (ran !== seen.ran || left !== seen.left) seen = { ran, left, at };
    if (at - seen.at > STALL_MS) return false;
    if (at - start > capMs) return true;
  }
}

function sum(figures: readonly DrainFigure[], of: 'ran' | 'lost' | 'duplicates'): number {
  return figures.reduce((total, figure) => total + figure[of], 0);
}

function excesses(measured: { readonly lost: number; readonly duplicates: number }): Excess[] {
  return (['lost', 'duplicates'] as const)
    .map((what) => ({ what, measured: measured[what], limit: 0 }))
    .filter(({ measured: count, limit }) => count > limit);
}

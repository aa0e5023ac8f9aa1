import type { TestStoreName } from '@bellhop/testing';
import { type ContenderKind, jobData } from '../contenders/contender.js';
import { sidesOf } from '../contenders/contenders.js';
import { alternate } from '../measure/alternate.js';
import { Starts } from '../measure/starts.js';
import { waitReport } from '../measure/wait-report.js';
import { waitTable } from '../report/wait-table.js';
import type { Workload, WorkloadSettings } from '../workload.js';

/** Jobs of a round; how far off the first is due, when all of them have been published; the time over which they come due. */
const FULL = { jobs: 200, leadMs: 1_500, overMs: 10_000 };
const QUICK = { jobs: 10, leadMs: 200, overMs: 100 };
/** After the last is due: what has not begun by then is missing. */
const PATIENCE_MS = 15_000;

type Plan = typeof FULL;

interface DelayedFigure {
  /** Milliseconds from the due time to the start, of the jobs that began. */
  readonly lateness: readonly number[];
  readonly missing: number;
}

/** How late jobs begin that are due later, while nothing else happens that would wake a worker. */
export const delayed: Workload = {
  name: 'delayed',
  description: 'milliseconds from the due time of a delayed job to the start of its handler, at random times and with no other traffic',
  options: [],
  peers: true,
  defaultStores: ['sqlite'],
  async run(settings) {
    const [store] = settings.stores as [TestStoreName];
    const plan = settings.quick ? QUICK : FULL;
    const sides = sidesOf(store, settings.peer, 'wait');
    const figures = await alternate([...sides.ours, ...sides.peers], (kind) => measure(kind, settings, store, plan));
    const lateness = new Map([...figures].map(([kind, rounds]) => [kind, rounds.map((figure) => figure.lateness)]));
    const missing = sides.ours.flatMap((kind) => figures.get(kind) ?? []).reduce((sum, figure) => sum + figure.missing, 0);
    const { p50Ms, p99Ms, ...report } = waitReport(sides, lateness);
    return {
      json: { store, latenessP50Ms: p50Ms, latenessP99Ms: p99Ms, missing, ...report },
      excesses: missing > 0 ? [{ what: 'missing', measured: missing, limit: 0 }] : [],
    };
  },
  report: (results) => ({
    markdown: waitTable(results.map(({ result }) => ({ title: String(result.store), report: result }))),
    charts: [],
  }),
};

async function measure(kind: ContenderKind, settings: WorkloadSettings, store: TestStoreName, plan: Plan): Promise<DelayedFigure> {
  const database = await settings.database(store);
  const contender = await kind.open(database.options.url as string);
  const starts = new Starts();
  const begun = new Map<number, number>();
  try {
    const work = await contender.work(({ n }) => {
      // Due times are of the wall clock.
      begun.set(n, begun.get(n) ?? Date.now());
      starts.note(n);
    });
    const first = Date.now() + plan.leadMs;
    const due = Array.from({ length: plan.jobs }, () => first + Math.floor(Math.random() * plan.overMs));
    await Promise.all(due.map((runAt, n) => contender.publish(jobData(n), { runAt })));
    const last = Math.max(...due);
    const patienceMs = last - Date.now() + PATIENCE_MS;
    await Promise.allSettled(due.map((_, n) => starts.of(n, patienceMs)));
    await work.stop();
    const lateness = due.flatMap((dueAt, n) => {
      const at = begun.get(n);
      return at === undefined ? [] : [at - dueAt];
    });
    return { lateness, missing: plan.jobs - lateness.length };
  } finally {
    await contender.close();
    await database.drop();
  }
}

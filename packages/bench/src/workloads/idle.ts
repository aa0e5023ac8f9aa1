import type { TestStoreName } from '@bellhop/testing';
import { barChart } from '../report/bar-chart.js';
import { table } from '../report/benchmarks-page.js';
import type { StoredResult } from '../results.js';
import type { Excess, Workload } from '../workload.js';
import { wholeNumber } from '../workload-options.js';
import { CAPABILITIES, idleDispatcher } from './idle/idle-dispatcher.js';
import type { IdleLoop } from './idle/idle-loop.js';
import { idleWorker } from './idle/idle-worker.js';

const TEN_MINUTES_MS = 600_000;
const QUICK_MS = 60_000;

/** Ticks of ten idle minutes with the default intervals: after 0, 1, 3, 7, 15 and 31 s, then every 30 s. */
const TICKS_IN_TEN_MINUTES = 24;

/** What an idle loop costs its database in ten virtual minutes: a real store and loop, a clock moved by hand. */
export const idle: Workload = {
  name: 'idle',
  description: 'statements of an idle dispatcher, or queue worker, in ten virtual minutes',
  options: [
    { flags: '--partitions <n>', description: 'partitions of the dispatcher, 1 to 4096', default: '8' },
    { flags: '--capabilities <set>', description: 'of the outbox: all, reap (survey hidden), none (reap hidden too)', default: 'all' },
    { flags: '--queues <n>', description: 'the queue worker instead, with a subscription to each of so many queues, 1 to 1000' },
  ],
  peers: false,
  defaultStores: ['sqlite'],
  async run({ stores, quick, options, database }) {
    const [store] = stores as [TestStoreName];
    const loop = choose(options);
    const forMs = quick ? QUICK_MS : TEN_MINUTES_MS;
    const { ticks, statements, writes, byLabel } = await loop.measure(await database(store), forMs);
    const json = { ticks, statements, statementsPerIdleTick: statements / ticks, writes, byLabel, loops: {} };
    return { json, excesses: excesses(json, loop) };
  },
  report(results) {
    const runs = results.map((stored) => ({ label: labelOf(stored), result: stored.result }));
    const columns = ['ticks', 'statements', 'statementsPerIdleTick', 'writes'] as const;
    const title = 'Statements in ten idle minutes';
    const bars = runs.map(({ label, result }) => ({ label, value: Number(result.statements) }));
    return {
      markdown: table(
        ['run', ...columns],
        runs.map(({ label, result }) => [label, ...columns.map((column) => Number(result[column]))]),
      ),
      charts: [{ name: 'idle', alt: title, svg: barChart(title, bars) }],
    };
  },
};

function choose({ partitions, capabilities, queues }: Readonly<Record<string, string | undefined>>): IdleLoop {
  if (queues !== undefined) return idleWorker(wholeNumber('--queues', queues, 1, 1_000));
  const partitionCount = wholeNumber('--partitions', partitions, 1, 4_096);
  if (capabilities === undefined || !Object.hasOwn(CAPABILITIES, capabilities)) {
    throw new RangeError(`--capabilities ${capabilities}: allowed are ${Object.keys(CAPABILITIES).join(', ')}.`);
  }
  return idleDispatcher(partitionCount, capabilities as keyof typeof CAPABILITIES);
}

function labelOf({ settings }: StoredResult): string {
  const [store] = settings.stores as string[];
  if (settings.queues !== undefined) return `${store}, ${settings.queues === '1' ? '1 queue' : `${settings.queues} queues`}`;
  return `${store}, ${settings.partitions} partitions, ${CAPABILITIES[settings.capabilities as keyof typeof CAPABILITIES].title}`;
}

function excesses(measured: { ticks: number; statements: number; writes: number }, { perTick, readsOnly }: IdleLoop): Excess[] {
  const limits = {
    ticks: TICKS_IN_TEN_MINUTES,
    statements: TICKS_IN_TEN_MINUTES * perTick,
    ...(readsOnly ? { writes: 0 } : {}),
  };
  return Object.entries(limits)
    .map(([what, limit]) => ({ what, measured: measured[what as keyof typeof measured], limit }))
    .filter(({ measured: count, limit }) => count > limit);
}

import { messagingMigrations, NotificationDispatcher, SqlNotificationOutbox } from '@bellhop/service-messaging';
import { ManualClock, type TestStoreName, withoutCapabilities } from '@bellhop/testing';
import { barChart } from '../report/bar-chart.js';
import { table } from '../report/benchmarks-page.js';
import type { Excess, Workload, WorkloadSettings } from '../workload.js';
import { wholeNumber } from '../workload-options.js';

const TEN_MINUTES_MS = 600_000;
const QUICK_MS = 60_000;

/** The outbox's members that each setting hides, and the statements a tick may then cost with P partitions. */
const CAPABILITIES = {
  all: { hidden: [], perTick: () => 1 },
  reap: { hidden: ['survey'], perTick: (partitions: number) => 1 + 2 * partitions },
  none: { hidden: ['survey', 'reap'], perTick: (partitions: number) => 4 * partitions },
} as const;

/** Ticks of ten idle minutes with the default intervals: after 0, 1, 3, 7, 15 and 31 s, then every 30 s. */
const TICKS_IN_TEN_MINUTES = 24;

/** What an idle dispatcher costs its database in ten virtual minutes: a real store and dispatcher, a clock moved by hand. */
export const idle: Workload = {
  name: 'idle',
  description: 'statements of an idle dispatcher in ten virtual minutes',
  options: [
    { flags: '--partitions <n>', description: 'partitions of the dispatcher, 1 to 4096', default: '8' },
    { flags: '--capabilities <set>', description: 'of the outbox: all, reap (survey hidden), none (reap hidden too)', default: 'all' },
  ],
  peers: false,
  defaultStores: ['sqlite'],
  async run(settings) {
    const [store] = settings.stores as [TestStoreName];
    return measure(store, settings);
  },
  report(results) {
    const runs = results.map(({ settings, result }) => ({
      label: `${(settings.stores as string[])[0]}, ${settings.partitions} partitions, ${TITLES[settings.capabilities as keyof typeof CAPABILITIES]}`,
      result,
    }));
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

const TITLES = { all: 'one survey', reap: 'no survey', none: 'no survey, no reap' } as const;

async function measure(store: TestStoreName, settings: WorkloadSettings) {
  const partitionCount = wholeNumber('--partitions', settings.options.partitions, 1, 4_096);
  const capabilities = settings.options.capabilities as keyof typeof CAPABILITIES;
  if (!Object.hasOwn(CAPABILITIES, capabilities)) {
    throw new RangeError(`--capabilities ${capabilities}: allowed are ${Object.keys(CAPABILITIES).join(', ')}.`);
  }
  const { hidden, perTick } = CAPABILITIES[capabilities];
  const clock = new ManualClock();
  const opened = await (await settings.database(store)).open({ clock });
  await opened.migrate(messagingMigrations);
  const dispatcher = new NotificationDispatcher({
    outbox: withoutCapabilities(new SqlNotificationOutbox({ store: opened }), hidden),
    channels: INBOX_ONLY,
    clock: opened.clock,
    partitionCount,
  });
  opened.meter.reset();
  dispatcher.start();
  await clock.runFor(settings.quick ? QUICK_MS : TEN_MINUTES_MS, { settle: () => dispatcher.settled() });
  const { ticks } = dispatcher.counters();
  const { statements, writes, byLabel } = opened.meter.snapshot();
  await dispatcher.stop();
  const counts = Object.fromEntries(Object.entries(byLabel).map(([label, count]) => [label.replace(/^outbox\./, ''), count.statements]));
  const json = { ticks, statements, statementsPerIdleTick: statements / ticks, writes, byLabel: counts, loops: {} };
  return { json, excesses: excesses(json, capabilities, perTick(partitionCount)) };
}

/** The channel a host always has; while nothing is due it is never asked. */
const INBOX_ONLY = {
  ids: () => ['inbox'],
  get: () => undefined,
};

function excesses(measured: { ticks: number; statements: number; writes: number }, capabilities: string, perTick: number): Excess[] {
  const limits = {
    ticks: TICKS_IN_TEN_MINUTES,
    statements: TICKS_IN_TEN_MINUTES * perTick,
    ...(capabilities === 'all' ? { writes: 0 } : {}),
  };
  return Object.entries(limits)
    .map(([what, limit]) => ({ what, measured: measured[what as keyof typeof measured], limit }))
    .filter(({ measured: count, limit }) => count > limit);
}

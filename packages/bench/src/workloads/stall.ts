import type { BoardWakes, ReadyTodo, Store } from '@bellhop/contracts';
import { boardMigrations, wakeSql } from '@bellhop/switchboard';
import { type PairFacts, pace, StallSweep, stallMigrations } from '@bellhop/switchboard-stall';
import { LoopWatch } from '../measure/loop-watch.js';
import { monotonicMs } from '../measure/monotonic.js';
import { rounded } from '../measure/statistics.js';
import { table } from '../report/benchmarks-page.js';
import type { Excess, Workload } from '../workload.js';
import { wholeNumber } from '../workload-options.js';
import { seedPairs } from './stall/seed-pairs.js';

const MINUTE_MS = 60_000;
/** Of one sweep: the most it charges. */
const DUE = 200;
const QUICK_PAIRS = 500;

/** How long the todos are pending, and ago the pairs were nudged: old enough to be stalled, not long enough to be nudged again. */
const PENDING_MS = 3 * MINUTE_MS;
const NUDGED_MS = MINUTE_MS;
const LONG_AGO_MS = 60 * MINUTE_MS;

/** A sweep over pairs of which none is due, then one with 200 that are. */
export const stall: Workload = {
  name: 'stall',
  description: 'a sweep over stalled queues of which none is due, then over the same with 200 that are',
  options: [
    { flags: '--pairs <n>', description: 'pairs of endpoint and queue, 400 to 100000', default: '10000' },
    { flags: '--todos <n>', description: 'pending todos of each pair, 1 to 1000', default: '100' },
  ],
  peers: false,
  defaultStores: ['sqlite'],
  async run({ stores, quick, options, database }) {
    const [name = 'sqlite'] = stores;
    const pairs = quick ? QUICK_PAIRS : wholeNumber('--pairs', options.pairs, 2 * DUE, 100_000);
    const todos = wholeNumber('--todos', options.todos, 1, 1_000);
    const store = await (await database(name)).open();
    await store.migrate(boardMigrations);
    await store.migrate(stallMigrations);
    const now = store.clock.now();
    const seed = { pairs, todos, pendingSince: now - PENDING_MS, nudgedAt: now - NUDGED_MS };
    await seedPairs(store, seed);
    const fired: ReadyTodo[] = [];
    const sweep = new StallSweep({ store, wakes: wakesInto(fired) });

    const quiet = await measured(store, () => sweep.run(now));
    await makeDue(store, now - LONG_AGO_MS);
    const ledger = await readLedger(store);
    const busy = await measured(store, () => sweep.run(now));
    const { falseNudges, missedNudges } = judged(ledger, fired, now);
    const json = {
      store: name,
      pairs,
      todos: pairs * todos,
      sweepMs: rounded(quiet.ms),
      longestBlockMs: rounded(Math.max(quiet.longestBlockMs, busy.longestBlockMs)),
      statements: quiet.statements,
      charged: busy.charged,
      chargeMs: rounded(busy.ms),
      falseNudges,
      missedNudges,
    };
    return { json, excesses: excesses(json, quiet.charged) };
  },
  report(results) {
    const rows = results.map(({ result }) =>
      [
        `${result.store}, ${result.pairs} pairs, ${result.todos} todos`,
        result.statements,
        result.sweepMs,
        result.longestBlockMs,
        result.charged,
        result.falseNudges,
        result.missedNudges,
      ].map(String),
    );
    const head = ['run', 'statements, none due', 'sweep, ms', 'longest block, ms', 'charged of 200 due', 'false', 'missed'];
    return { markdown: table(head, rows), charts: [] };
  },
};

/** Counts of which there must be no more, or no fewer: the measured one beside the limit. */
function excesses(
  { statements, charged, falseNudges, missedNudges }: Readonly<Record<'statements' | 'charged' | 'falseNudges' | 'missedNudges', number>>,
  early: number,
): Excess[] {
  const limits: [string, number, number][] = [
    ['statements of a sweep with nothing due', statements, 1],
    ['nudges of a sweep with nothing due', early, 0],
    ['nudges with 200 due', charged, DUE],
    ['nudges that pace refuses', falseNudges, 0],
    ['due pairs that were not nudged', missedNudges, 0],
  ];
  return limits.filter(([, measured, limit]) => measured > limit).map(([what, measured, limit]) => ({ what, measured, limit }));
}

function wakesInto(fired: ReadyTodo[]): BoardWakes {
  return { hooksOn: true, wakeSql, fireReady: (todo) => void fired.push(todo), onWakeOutcome: () => () => {} };
}

async function measured(store: Store, sweep: () => Promise<number>) {
  const before = store.meter.snapshot().statements;
  const watch = new LoopWatch();
  const begun = monotonicMs();
  const charged = await sweep();
  const ms = monotonicMs() - begun;
  return { charged, ms, longestBlockMs: watch.stop(), statements: store.meter.snapshot().statements - before };
}

/** Lets the first 200 pairs, each of another endpoint where there are as many, have waited long enough. */
async function makeDue(store: Store, nudgedAt: number): Promise<void> {
  const due = await store.knex('queue_stall_nudges').orderBy(['queue', 'endpoint_id']).limit(DUE).select('endpoint_id', 'queue');
  for (const { endpoint_id, queue } of due as { endpoint_id: string; queue: string }[]) {
    await store.knex('queue_stall_nudges').where({ endpoint_id, queue }).update({ last_nudged_at: nudgedAt });
  }
}

/**
 * Holds what was nudged against `pace`, on the facts that the seed made: whatever the sweep's SQL says.
 *
 * @param before the ledger as the sweep found it.
 */
function judged(before: readonly LedgerRow[], fired: readonly ReadyTodo[], now: number): { falseNudges: number; missedNudges: number } {
  const facts: PairFacts = {
    oldestPendingSince: now - PENDING_MS,
    deliverable: true,
    newestLiveClaimAt: null,
    newestProgressAt: null,
    doorOpenedAt: 0,
  };
  const due = before.filter(({ nudges, lastNudgedAt }) => pace({ nudges, lastNudgedAt, quietSince: null }, facts, now).due);
  const dueNames = new Set(due.map(({ name }) => name));
  const nudged = new Set(fired.map(({ endpointId, queue }) => pairName(endpointId, queue)));
  return {
    falseNudges: fired.length - [...nudged].filter((name) => dueNames.has(name)).length,
    missedNudges: due.filter(({ name }) => !nudged.has(name)).length,
  };
}

interface LedgerRow {
  readonly name: string;
  readonly nudges: number;
  readonly lastNudgedAt: number;
}

const pairName = (endpointId: string, queue: string) => `${endpointId}:${queue}`;

async function readLedger(store: Store): Promise<LedgerRow[]> {
  const rows = await store.knex('queue_stall_nudges').select('endpoint_id', 'queue', 'nudges', 'last_nudged_at');
  return rows.map((row: Record<string, unknown>) => ({
    name: pairName(String(row.endpoint_id), String(row.queue)),
    nudges: Number(row.nudges),
    lastNudgedAt: Number(row.last_nudged_at),
  }));
}

import { BOARD, type IBoard, type NudgeCounts, STALL, type TodoCount } from '@bellhop/contracts';
import type { Kernel } from '@bellhop/kernel';
import { NOTIFY_DISPATCHER } from '@bellhop/switchboard';
import { Counter, Gauge, type Registry } from 'prom-client';
import { resolveBound } from './resolve-bound.js';

/** Queues that are told apart: names are the organizations' own, and each is a time series. The others count together. */
export const QUEUES_SHOWN_MAX = 200;
export const OTHER_QUEUES = '__other__';

const STATES = ['pending', 'claimed', 'parked', 'dead'] as const;
const NUDGE_OUTCOMES = ['charged', 'delivered', 'suppressed', 'exhausted'] as const;

/** Shows the todos of the board, the nudges of its stalled queues, and the wakes that its notify hooks got. A scrape costs two statements. */
export function registerBoardMetrics(registry: Registry, kernel: Kernel): void {
  const board = resolveBound(kernel, BOARD);
  if (board) registerTodos(registry, board);
  registerNudges(registry, kernel);
  registerWakes(registry, kernel);
}

function registerTodos(registry: Registry, board: IBoard): void {
  const registers = [registry];
  const counts = countsOfOneScrape(board);
  new Gauge({
    name: 'switchboard_queue_todos',
    help: `Live todos and dead letters by queue and state, over all endpoints. The first ${QUEUES_SHOWN_MAX} queues by name; the others together. Costs a statement, when scraped.`,
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      const rows = await counts();
      // A queue that was emptied must not go on showing its last count.
      this.reset();
      for (const row of rows) for (const state of STATES) this.set({ queue: row.queue, state }, row[state]);
    },
  });
  new Gauge({
    name: 'switchboard_queue_oldest_pending_seconds',
    help: 'How long the todo has been pending that has been so for longest; 0 when none is.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const rows = await counts();
      this.reset();
      for (const { queue, oldestPendingMs } of rows) this.set({ queue }, (oldestPendingMs ?? 0) / 1_000);
    },
  });
}

/** One read for both gauges, which are collected side by side. Empty when the database cannot be asked: an outage must not take other metrics along. */
function countsOfOneScrape(board: IBoard): () => Promise<TodoCount[]> {
  let reading: Promise<TodoCount[]> | undefined;
  return () => {
    reading ??= board
      .counts()
      .then(capped, () => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
}

function capped(counts: readonly TodoCount[]): TodoCount[] {
  const sorted = counts.toSorted((a, b) => (a.queue < b.queue ? -1 : 1));
  const others = sorted.slice(QUEUES_SHOWN_MAX);
  if (others.length === 0) return sorted;
  const sum = { queue: OTHER_QUEUES, pending: 0, claimed: 0, parked: 0, dead: 0 };
  let oldestPendingMs: number | null = null;
  for (const other of others) {
    for (const state of STATES) sum[state] += other[state];
    if (other.oldestPendingMs !== null) oldestPendingMs = Math.max(oldestPendingMs ?? 0, other.oldestPendingMs);
  }
  return [...sorted.slice(0, QUEUES_SHOWN_MAX), { ...sum, oldestPendingMs }];
}

function registerNudges(registry: Registry, kernel: Kernel): void {
  const stalls = resolveBound(kernel, STALL);
  if (!stalls) return;
  const registers = [registry];
  // A counter may not fall: a queue keeps the name that it was first counted under.
  const shown = new Set<string>();
  const nameOf = ({ queue }: NudgeCounts): string => {
    if (shown.size < QUEUES_SHOWN_MAX) shown.add(queue);
    return shown.has(queue) ? queue : OTHER_QUEUES;
  };
  new Counter({
    name: 'switchboard_queue_stall_nudges_total',
    help: 'Nudges of stalled queues by what came of them. exhausted: a queue of an endpoint ran out of them. The first queues that were nudged; the others together.',
    labelNames: ['queue', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const counts of stalls.counts()) {
        for (const outcome of NUDGE_OUTCOMES) this.inc({ queue: nameOf(counts), outcome }, counts[outcome]);
      }
    },
  });
  new Gauge({
    name: 'switchboard_stalled_pairs_exhausted',
    help: 'Queues of endpoints that get no nudge any more until something changes. Costs a statement, when scraped.',
    registers,
    async collect() {
      this.set(await stalls.exhaustedPairs().catch(() => Number.NaN));
    },
  });
}

function registerWakes(registry: Registry, kernel: Kernel): void {
  const dispatcher = resolveBound(kernel, NOTIFY_DISPATCHER);
  if (!dispatcher) return;
  const registers = [registry];
  new Counter({
    name: 'switchboard_notify_hook_wakes_total',
    help: 'Wakes by what came of them over all the notify hooks they went to.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(dispatcher.counters().wakes)) this.inc({ outcome }, count);
    },
  });
  new Counter({
    name: 'switchboard_notify_hook_attempts_total',
    help: 'Requests to notify hooks by the class of their answer.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(dispatcher.counters().attempts)) this.inc({ result }, count);
    },
  });
}

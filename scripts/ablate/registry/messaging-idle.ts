// What an idle dispatcher costs and when it ticks: one read where there is a survey, and what the seed's A1, A3 and A4 pin on memory, on every SQL
// store and in the benchmark.
import type { Ablation } from '../ablation.js';
import { onStores } from '../on-stores.js';

const SRC = 'packages/service-messaging/src';
const DISPATCHER = `${SRC}/dispatcher/notification-dispatcher.ts`;
const DELAY = 'packages/loop/src/delay.ts';

const TICK = `${SRC}/dispatcher/dispatcher.tick.test.ts`;
const IDLE_BACKOFF = `${SRC}/dispatcher/dispatcher.idle-backoff.test.ts`;
const IDLE_COST = `${SRC}/idle-cost.integration.test.ts`;
const WORKLOADS = 'packages/bench/src/workloads/workloads.test.ts';
const BUDGET = ['packages/host/src/host.integration.test.ts', 'packages/host/src/metrics/oldest-due.integration.test.ts'];

const PARTITIONS = [1, 8, 64];
const over = (store: string) => `the dispatcher over SQL on ${store}`;
const WITHOUT = 'a tick without survey, and without reap';
const TICKS = 'when the dispatcher ticks';
const IDLE_WORKLOAD = PARTITIONS.map(
  (count) => `idle > [idle-backoff][survey-cost] is 24 reads and no write in ten minutes, at ${count} partitions`,
);

/** Claims on every tick, whatever the survey said. */
const BLIND = {
  anchor: 'if (wanted.rows || wanted.digests) {',
  replacement: 'wanted.rows = wanted.digests = true;\n    {',
  expectCount: 1,
};

export const ablations: readonly Ablation[] = [
  {
    id: 'survey-cost',
    why: 'A tick whose survey saw nothing due has cost one read: it claims nothing.',
    file: DISPATCHER,
    ...BLIND,
    tests: [IDLE_COST, WORKLOADS],
    red: [
      ...onStores((store) =>
        PARTITIONS.map((count) => `${over(store)} > [survey-cost] costs one read and no write per idle tick at ${count} partitions`),
      ),
      ...IDLE_WORKLOAD,
      'budgets > are kept',
    ],
  },
  {
    id: 'reap-once',
    why: 'A1 on memory and on every SQL store: one reap a tick; without it every claim reaps for itself.',
    file: DISPATCHER,
    anchor: 'this.reapsApart = outbox.reap !== undefined;',
    replacement: 'this.reapsApart = false;',
    expectCount: 1,
    tests: [TICK, IDLE_COST],
    red: [
      `${WITHOUT} > [reap-once] per 10 idle ticks at 8 partitions: exactly 10 reaps and at most 10 × (1 + 2 × 8) statements`,
      'a tick with survey > [S1] an expired claim is reaped and its row delivered in the same tick; without one nothing is reaped',
      ...onStores((store) => [`${over(store)} > [reap-once] reaps once per tick and not once per claim, with the survey hidden`]),
    ],
  },
  {
    id: 'legacy-outbox',
    why: 'A4 on memory and on every SQL store: only claims whose tick reaped skip their reap.',
    file: DISPATCHER,
    anchor: 'skipReap: this.reapsApart,',
    replacement: 'skipReap: true,',
    expectCount: 1,
    tests: [TICK, IDLE_COST],
    red: [
      `${WITHOUT} > [legacy-outbox] an outbox without reap keeps working: each claim reaps for itself`,
      `${WITHOUT} > [legacy-outbox] an outbox with survey and without reap recovers expired claims, too`,
      `${WITHOUT} > a send that outlasts its claim, on an outbox that cannot renew, is not sent twice by the same node`,
      ...onStores((store) => [
        `${over(store)} > [legacy-outbox] costs the old price over an outbox without reap and survey, and still delivers and recovers`,
      ]),
    ],
  },
  {
    id: 'idle-backoff',
    why: 'A3 in the benchmark: the delay doubles all the way to the ceiling; a backoff that stops at 4 s costs six times the reads.',
    file: DELAY,
    anchor: 'intervalMs * 2 ** idleLevel',
    replacement: 'intervalMs * 2 ** Math.min(idleLevel, 3)',
    expectCount: 1,
    tests: [WORKLOADS],
    red: [
      ...IDLE_WORKLOAD,
      'idle > is 408 statements without the survey, and 768 without the reap: what the system it grew from paid',
      // The queue's worker stands on the same loop.
      ...[1, 100].map((queues) => `idle > is 24 reads and no write in ten minutes, with ${queues} queues`),
    ],
  },
  {
    id: 'idle-ceiling',
    why: 'The ceiling ends the doubling, and at or below the interval there is none.',
    file: DELAY,
    anchor: 'Math.max(intervalMs, Math.min(intervalMs * 2 ** idleLevel, maxIdleIntervalMs))',
    replacement: 'Math.max(intervalMs * 2 ** idleLevel, Math.min(intervalMs, maxIdleIntervalMs))',
    expectCount: 1,
    tests: [IDLE_BACKOFF],
    red: [
      ...[500, 200].map((ms) => `${TICKS} > [idle-ceiling] a ceiling of ${ms} ms, at or below the interval, disables the backoff`),
      `${TICKS} > [A3] idle gaps double from the interval to the ceiling: 1, 2, 4, 8, 16, 30, 30 s, 24 ticks in ten minutes`,
      `${TICKS} > [A3] the ceiling is 30 s by default`,
      `${TICKS} > [A3] a row nobody announced waits at most one backed-off interval, then the dispatcher is back to 500 ms`,
    ],
  },
  {
    id: 'dispatcher-wake',
    why: 'wake() reaches the loop: a tick in the same instant, one follow-up for all wakes during a tick.',
    file: DISPATCHER,
    anchor: 'this.loop.wake();',
    replacement: '',
    expectCount: 1,
    tests: [IDLE_BACKOFF],
    red: [
      `${TICKS} > [dispatcher-wake] a wake ticks in the same instant (control: a row that nobody told of waits)`,
      `${TICKS} > [dispatcher-wake] wakes during a tick collapse into one follow-up`,
      `${TICKS} > [A2] an emit wakes a wired dispatcher; one that enqueues nothing does not`,
    ],
  },
  {
    id: 'dispatcher-stop',
    why: 'stop() ends loop and pool: nothing ticks, and a wake does nothing, until the next start.',
    file: DISPATCHER,
    anchor: 'await Promise.all([this.loop.stop({ deadlineMs }), this.pool.stop({ deadlineMs })]);',
    replacement: 'void deadlineMs;',
    expectCount: 1,
    tests: [IDLE_BACKOFF],
    red: [`${TICKS} > [dispatcher-stop] stop cancels, and a wake after it does nothing (control: a start)`],
  },
  {
    id: 'budget:idle',
    why: 'An idle host asks its database what its loops ask, and nothing else.',
    file: DISPATCHER,
    ...BLIND,
    tests: BUDGET,
    red: ['an idle host > [budget] asks its database what its loops ask, each one question per idle interval, and writes nothing'],
  },
  {
    id: 'budget:scrape',
    why: 'A scrape finds the oldest due delivery in the claim indexes; they hold pending rows only, so the statement must say so.',
    file: 'packages/host/src/metrics/oldest-due.ts',
    anchor: "WHERE d.status = 'pending' AND d.",
    replacement: 'WHERE d.',
    expectCount: 1,
    tests: BUDGET,
    red: [
      'the oldest due delivery of each channel > [budget] is found by seeks in the claim indexes: one statement, and no row of the backlog read',
    ],
  },
];

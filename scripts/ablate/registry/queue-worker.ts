// The queue worker's rules: leases that are kept, due times that are met, queues kept apart, lanes in turn, claims handed back by a stop.
import type { Ablation } from '../ablation.js';

const WORKER = 'packages/service-queue/src/worker';
const SUBSCRIPTION = `${WORKER}/job-subscription.ts`;
const ATTEMPT = `${WORKER}/job-attempt.ts`;
const QUEUE_WORKER = `${WORKER}/queue-worker.ts`;

const HEARTBEAT = [`${WORKER}/heartbeat.test.ts`];
const NEXT_DUE = [`${WORKER}/next-due.test.ts`];
const ISOLATION = [`${WORKER}/isolation.test.ts`];
const STOP = [`${WORKER}/stop.test.ts`];

/** Of the stores: they take turns within a claim. */
const LANES = ['memory-job-store.lanes.test.ts', 'sql-job-store.lanes.integration.test.ts'].map(
  (name) => `packages/service-queue/src/stores/${name}`,
);

const LEASE = 'the lease of a job at work';
const LATER = 'work that comes due later';
const BESIDE = 'a queue beside others';
const HANDED_BACK = 'claims that are handed back';

const SURVEYED = `${LATER} > [Q7] runs at its due time when a survey saw it, each of several`;
const DEAD_LEASE = `${LATER} > [Q7] the lease of a dead process that a survey saw is returned when it ends, not an interval later`;
const STOPPED = 'stop > [Q11] aborts at the deadline what still runs and hands it back, in its place and without burning an attempt';

export const ablations: readonly Ablation[] = [
  {
    id: 'Q4',
    why: 'The leases of jobs at work are renewed; without it a job that takes longer than its lease is run twice, and nobody hears of it.',
    file: SUBSCRIPTION,
    anchor: '      renew: (units) => renewUnits(jobs, units, leaseMs),\n',
    replacement: '',
    expectCount: 1,
    tests: HEARTBEAT,
    red: [
      `${LEASE} > [Q4] is renewed each third of it, so a job may take longer, and nobody else begins it`,
      `${LEASE} > [Q4] is renewed together with those of all jobs of the subscription, in one call`,
      `${LEASE} > [Q4] when it is lost, the handler is told at the next renewal, and what it returns changes nothing`,
      `${LEASE} > [Q4] survives a renewal that fails; when none has gone through before its end, the handler is aborted`,
      `${LEASE} > control: the lease of a process that is dead is not renewed, and its job is begun again when it ends`,
    ],
  },
  {
    id: 'Q7:announced',
    why: 'A due time that was announced is enough to be met; without it the job waits for an idle interval.',
    file: QUEUE_WORKER,
    anchor: '  due(at: number): void {\n    this.loop.due(at);\n',
    replacement: '  due(_at: number): void {\n',
    expectCount: 1,
    tests: NEXT_DUE,
    red: [`${LATER} > [Q7] runs at its due time when it was announced, with no other traffic and no tick before`],
  },
  {
    id: 'Q7:surveyed',
    why: 'A survey names the next due time, also of what another process published or holds; without it that waits for an idle interval.',
    file: QUEUE_WORKER,
    anchor: '      nextDueAt: times.length > 0 ? Math.min(...times) : null,\n',
    replacement: '',
    expectCount: 1,
    tests: NEXT_DUE,
    red: [
      SURVEYED,
      DEAD_LEASE,
      `${LATER} > thousands of future jobs of a better priority, and thousands due elsewhere, do not hold up one that is due`,
    ],
  },
  {
    id: 'Q7:expiry',
    why: 'The end of a lease is a due time, too; without it the jobs of a dead process wait for an idle interval more.',
    file: QUEUE_WORKER,
    anchor: '[survey.nextDueAt, survey.nextExpiryAt, survey.nextFireAt]',
    replacement: '[survey.nextDueAt, survey.nextFireAt]',
    expectCount: 1,
    tests: NEXT_DUE,
    red: [DEAD_LEASE],
  },
  {
    id: 'Q7:retry',
    why: 'The worker knows when the retries it wrote are due; without it they wait for a survey.',
    file: QUEUE_WORKER,
    anchor: '    if (result.dueAt > this.settings.clock.now()) this.loop.due(result.dueAt);\n    else if',
    replacement: '    if (result.dueAt > this.settings.clock.now()) return;\n    else if',
    expectCount: 1,
    tests: NEXT_DUE,
    red: [`${LATER} > [Q7] a retry runs when its backoff has passed, which no survey needs to see`],
  },
  {
    id: 'Q8',
    why: 'A tick hands out and goes on; one that waits for the handlers of a queue holds up all others.',
    file: SUBSCRIPTION,
    anchor: '    await this.pool.offer(this.toUnits(run), claimedAt);\n',
    replacement: '    await this.pool.offer(this.toUnits(run), claimedAt);\n    await this.pool.drained();\n',
    expectCount: 1,
    tests: ISOLATION,
    red: [
      `${BESIDE} > [Q8] whose handlers do not end holds up no other`,
      `${BESIDE} > [Q8] that fills the worker leaves a slot to each of those that run nothing`,
      `${BESIDE} > whose slots come free is served at once, whatever another holds, and no tick runs for a queue that has room`,
    ],
  },
  {
    id: 'Q8:slot',
    why: 'Of the slots of a process one is kept back for each subscription that runs nothing; without it slow queues take them all.',
    file: 'packages/loop/src/shared-slots.ts',
    anchor: 'const keptBack = share.running === 0 ? 0 : Math.min(this.idle, Math.floor(this.limit / 2));',
    replacement: 'const keptBack = 0;',
    expectCount: 1,
    tests: ISOLATION,
    red: [`${BESIDE} > [Q8] that fills the worker leaves a slot to each of those that run nothing`],
  },
  {
    id: 'Q8:claim',
    why: 'Queues whose common claim failed are claimed for alone; without it the one at fault stops them all.',
    file: `${WORKER}/claim-turn.ts`,
    anchor: '      for (const each of group) each.apart = true;\n',
    replacement: '',
    expectCount: 1,
    tests: ISOLATION,
    red: [`${BESIDE} > [Q8] whose claim fails is claimed for alone: the others go on, and it comes back by itself`],
  },
  {
    id: 'Q8:ack',
    why: 'When a batch of outcomes cannot be written, each is written alone; without it one job keeps those beside it from their ends.',
    file: 'packages/loop/src/ack-batcher.ts',
    anchor: 'if (live.length === 1) return this.retryLater(live, error);',
    replacement: 'return this.retryLater(live, error);',
    expectCount: 1,
    tests: ISOLATION,
    red: [`${BESIDE} > [Q8] whose acks fail strands nobody: not another queue, nor its own other jobs`],
  },
  {
    id: 'Q11:release',
    why: 'A stop releases claims that never began, their attempt not counted; without it they wait for the ends of their leases.',
    file: SUBSCRIPTION,
    anchor: '        await jobs.release(units.flatMap((unit) => unit.jobs));\n',
    replacement: '        if (units.length > 0) await Promise.resolve();\n',
    expectCount: 1,
    tests: STOP,
    red: [
      'stop > [Q11] releases at once what never began, without burning an attempt, and waits for what runs',
      STOPPED,
      'stop > [Q11] releases what a claim brings home after it',
      `${HANDED_BACK} > by an unsubscribe are taken by another subscription at once, not an interval later`,
    ],
  },
  {
    id: 'Q11:cut',
    why: 'What a stop cuts short is handed back as if it had not begun; as a failure it would burn an attempt and wait for its backoff.',
    file: ATTEMPT,
    anchor: "  if (attempt.cut === 'stopped') return jobs.map(() => ({ kind: 'released' }));\n",
    replacement: "  if (attempt.cut === 'stopped') return jobs.map(() => failure(attempt.signal.reason));\n",
    expectCount: 1,
    tests: STOP,
    red: [
      STOPPED,
      `${HANDED_BACK} > by a stop are told to others: what never began at once, what it cut short when it does`,
      'unsubscribe > does not hold up a stop, whose deadline aborts its jobs, too',
    ],
  },
  {
    id: 'Q12:turn',
    why: 'A claim begins with the lane after the one served last; without it those that come first in every claim are served again and again.',
    file: SUBSCRIPTION,
    anchor: '    this.afterLane = claimed.at(-1)?.lane ?? this.afterLane;\n',
    replacement: '',
    expectCount: 1,
    tests: [`${WORKER}/queue-worker.test.ts`, ...LANES],
    red: ['a worker > serves the organizations of a queue in turn, claim after claim'],
  },
];

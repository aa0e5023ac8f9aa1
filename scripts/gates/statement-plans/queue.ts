// The hot statements of service-queue, and why the others are none.
import type { SqlParams } from '../../../packages/contracts/src/index.js';
import { checkJob } from '../../../packages/service-queue/src/job-input.js';
import { laneOf, laneRange } from '../../../packages/service-queue/src/lane.js';
import { queueMigrations } from '../../../packages/service-queue/src/migrations/queue-migrations.js';
import { cancelJob, purgeDeadJob, replayJob, rescheduleJob } from '../../../packages/service-queue/src/sql/change-jobs.js';
import { claimCappedJobs, claimJobs, claimQueue, lockQueues } from '../../../packages/service-queue/src/sql/claim-jobs.js';
import { countJobs } from '../../../packages/service-queue/src/sql/count-jobs.js';
import {
  findHolders,
  findStored,
  freeKeys,
  insertJob,
  insertJobs,
  insertKeyedJobs,
} from '../../../packages/service-queue/src/sql/enqueue-jobs.js';
import { getJob, listFailedJobs } from '../../../packages/service-queue/src/sql/find-jobs.js';
import { promoteJobs, reclaimJobs } from '../../../packages/service-queue/src/sql/recover-jobs.js';
import { oldRun } from '../../../packages/service-queue/src/sql/schedule-runs.js';
import { ackJobs, completeJobs, noteProgress, releaseJobs, renewJobs } from '../../../packages/service-queue/src/sql/settle-jobs.js';
import { surveyJobs } from '../../../packages/service-queue/src/sql/survey-jobs.js';
import { findSweepable, freeExpiredKeys, sweepableJobs, sweepJobs } from '../../../packages/service-queue/src/sql/sweep-jobs.js';
import { toHeads, toValues } from '../../../packages/service-queue/src/stores/job-rows.js';
import { defineStatement } from '../../../packages/store/src/define-statement.js';
import type { HotStatement, OwnLimit, PluginStatements } from './hot-statement.js';
import { scheduleStatements, scheduleWorlds, wantedSchedules } from './queue-schedules.js';
import {
  BATCH,
  CAPPED_BUSY,
  CAPPED_FULL,
  CAPPED_MANY,
  DEAD,
  DEAD_ELSEWHERE,
  fullGroups,
  jobWorlds,
  NOW,
  wantedJobs,
  without,
} from './queue-worlds.js';

const SQL = 'packages/service-queue/src/sql';

const json = (value: unknown) => JSON.stringify(value);
const batch = <T>(make: (index: number) => T) => Array.from({ length: BATCH }, (_, index) => make(index));

/** One queue of a claim; of all organizations, or of one. */
interface Arm {
  readonly queue: string;
  readonly organizationId?: string;
  readonly afterLane?: string;
}

function claimOf(...queues: readonly Arm[]): SqlParams {
  const arms = queues.map(({ queue, organizationId, afterLane }, arm) => {
    const range = laneRange(organizationId);
    return { arm, queue, ...range, start: afterLane ?? range.after, wanted: BATCH };
  });
  return { now: NOW, workerId: 'w', token: 'token', lockedUntil: NOW + 30_000, arms: json(arms), ...arms[0] };
}

/** Groups at their limits are passed. */
const PASSES_FULL: OwnLimit = {
  reason: 'groups at their limits are passed, by a seek or two each: each has a job that runs, so there are no more of them than workers',
  worlds: [CAPPED_FULL],
  rows: ({ returned, scale }) => 10 * returned + 100 + 12 * fullGroups(scale),
  growth: 40,
};

/** A claim of several lanes. */
const LANES_IN_TURN: OwnLimit = {
  reason:
    'a lane may give twice its share, so two entries a job are looked at; and where each job has a lane of its own, that is found, counted, picked and written by a seek each, of four pages',
  rows: ({ returned }) => 18 * returned + 100,
  pages: ({ returned }) => 22 * returned + 100,
};

/** Groups at their limits are passed, and what runs of a group is counted. */
const COUNTS_RUNNING: OwnLimit = {
  reason: 'what runs of a limited group is counted, by index entries: no more than its limit, unless that was lowered',
  worlds: [CAPPED_BUSY],
  rows: ({ returned, scale }) => 10 * returned + 100 + 3 * scale,
  growth: 120,
};

const claims: readonly HotStatement[] = [
  {
    definition: `${SQL}/claim-jobs.ts#claimQueue`,
    title: 'claim, one lane',
    statement: claimQueue,
    params: claimOf({ queue: 'solo' }),
    returns: BATCH,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimQueue`,
    title: 'claim, several lanes',
    statement: claimQueue,
    params: claimOf({ queue: 'mail' }),
    returns: BATCH,
    own: LANES_IN_TURN,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimQueue`,
    title: 'claim, one organization’s',
    statement: claimQueue,
    params: claimOf({ queue: 'mail', organizationId: 'o1' }),
    returns: BATCH,
    own: LANES_IN_TURN,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimQueue`,
    title: 'claim, round from the last lane',
    statement: claimQueue,
    params: claimOf({ queue: 'mail', organizationId: 'o1', afterLane: laneOf('o1', 'g3') }),
    returns: BATCH,
    own: LANES_IN_TURN,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimJobs`,
    title: 'claim of two queues',
    statement: claimJobs,
    params: claimOf({ queue: 'mail' }, { queue: 'solo' }),
    returns: 2 * BATCH,
    own: LANES_IN_TURN,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimCappedJobs`,
    title: 'claim of limited groups',
    statement: claimCappedJobs,
    params: claimOf({ queue: 'capped' }),
    returns: 12,
    worlds: without(CAPPED_MANY, CAPPED_BUSY),
    own: PASSES_FULL,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimCappedJobs`,
    title: 'claim of limited groups, of many',
    statement: claimCappedJobs,
    params: claimOf({ queue: 'capped' }),
    returns: BATCH,
    worlds: [CAPPED_MANY],
    own: LANES_IN_TURN,
  },
  {
    definition: `${SQL}/claim-jobs.ts#claimCappedJobs`,
    title: 'claim of limited groups, beside a busy one',
    statement: claimCappedJobs,
    params: claimOf({ queue: 'capped' }),
    returns: 9,
    worlds: [CAPPED_BUSY],
    own: COUNTS_RUNNING,
  },
  {
    definition: `${SQL}/claim-jobs.ts#lockQueues`,
    title: 'lock of limited groups',
    statement: lockQueues,
    params: { queues: json(['capped', 'mail']) },
    returns: 1,
  },
];

const names = batch((i) => `q${i}`);
const asked = (queues: readonly string[]) => json(queues.map((queue) => ({ queue, ...laneRange() })));

const ticks: readonly HotStatement[] = [
  {
    definition: `${SQL}/survey-jobs.ts#surveyJobs`,
    title: 'survey of queues',
    statement: surveyJobs,
    params: { now: NOW, queues: asked(['mail', 'solo', 'capped', 'empty']) },
    returns: 1,
    worlds: without(CAPPED_BUSY),
    own: PASSES_FULL,
  },
  {
    definition: `${SQL}/survey-jobs.ts#surveyJobs`,
    title: 'survey of queues, beside a busy group',
    statement: surveyJobs,
    params: { now: NOW, queues: asked(['mail', 'solo', 'capped', 'empty']) },
    returns: 1,
    worlds: [CAPPED_BUSY],
    own: COUNTS_RUNNING,
  },
  {
    definition: `${SQL}/survey-jobs.ts#surveyJobs`,
    title: `survey of ${BATCH} queues`,
    statement: surveyJobs,
    params: { now: NOW, queues: asked(names) },
    returns: 1,
    own: {
      reason: 'it looks into each queue that it is asked about',
      rows: () => 10 * BATCH + 100,
    },
  },
  {
    definition: `${SQL}/recover-jobs.ts#promoteJobs`,
    title: 'promote',
    statement: promoteJobs,
    params: { now: NOW, limit: BATCH },
    returns: BATCH,
  },
  {
    definition: `${SQL}/recover-jobs.ts#reclaimJobs`,
    title: 'reclaim',
    statement: reclaimJobs,
    params: { now: NOW, limit: BATCH },
    returns: BATCH,
  },
];

const outcome = (i: number, status: string) => ({
  id: `held${i}`,
  token: 't',
  status,
  uncounted: 0,
  due_at: status === 'scheduled' ? NOW + 1_000 : null,
  error: status === 'completed' ? null : 'x',
});
const held = (more: object = {}) => json(batch((i) => ({ id: `held${i}`, token: 't', ...more })));

const settles: readonly HotStatement[] = [
  {
    definition: `${SQL}/settle-jobs.ts#completeJobs`,
    title: 'complete',
    statement: completeJobs,
    params: { now: NOW, token: 't', ids: json(batch((i) => `held${i}`)) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/settle-jobs.ts#ackJobs`,
    title: 'ack of a job',
    statement: ackJobs,
    params: { now: NOW, acks: json([outcome(1, 'scheduled')]) },
    returns: 1,
  },
  {
    definition: `${SQL}/settle-jobs.ts#ackJobs`,
    title: 'ack of jobs',
    statement: ackJobs,
    params: { now: NOW, acks: json(batch((i) => outcome(i, ['completed', 'dead', 'scheduled', 'pending'][i % 4] as string))) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/settle-jobs.ts#renewJobs`,
    title: 'renew jobs',
    statement: renewJobs,
    params: { now: NOW, renewals: held({ locked_until: NOW + 30_000 }) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/settle-jobs.ts#releaseJobs`,
    title: 'release jobs',
    statement: releaseJobs,
    params: { now: NOW, claims: held() },
    returns: BATCH,
  },
  {
    definition: `${SQL}/settle-jobs.ts#noteProgress`,
    title: 'progress',
    statement: noteProgress,
    params: { now: NOW, id: 'held1', token: 't', progress: 50 },
    returns: 1,
  },
];

const published = (i: number, idempotencyKey?: string) =>
  checkJob(
    { queue: 'mail', data: { i }, options: { organizationId: 'o1', groupKey: 'g0', ...(idempotencyKey ? { idempotencyKey } : {}) } },
    { id: () => `new${i}`, now: NOW },
  );
const keys = json(batch((i) => ({ place: i, organization_id: 'o1', queue: 'mail', token: `k${i}` })));

const enqueues: readonly HotStatement[] = [
  {
    definition: `${SQL}/enqueue-jobs.ts#insertJob`,
    title: 'enqueue one',
    statement: insertJob,
    params: toValues(published(0), NOW),
    returns: 1,
  },
  {
    definition: `${SQL}/enqueue-jobs.ts#insertJobs`,
    title: 'enqueue jobs',
    statement: insertJobs,
    params: {
      now: NOW,
      heads: toHeads(
        batch((i) => published(i)),
        NOW,
      )[0] as string,
    },
    returns: BATCH,
  },
  {
    definition: `${SQL}/enqueue-jobs.ts#insertKeyedJobs`,
    title: 'enqueue with keys',
    statement: insertKeyedJobs,
    // Every other key is held.
    params: {
      now: NOW,
      heads: toHeads(
        batch((i) => published(i, i % 2 === 0 ? `k${i}` : `new${i}`)),
        NOW,
      )[0] as string,
    },
    returns: BATCH / 2,
  },
  { definition: `${SQL}/enqueue-jobs.ts#freeKeys`, title: 'free keys', statement: freeKeys, params: { now: NOW, keys }, returns: BATCH },
  {
    definition: `${SQL}/enqueue-jobs.ts#findHolders`,
    title: 'holders of keys',
    statement: findHolders,
    params: { keys },
    returns: BATCH,
  },
  {
    definition: `${SQL}/enqueue-jobs.ts#findStored`,
    title: 'jobs stored before an answer was lost',
    statement: findStored,
    params: { ids: json(batch((i) => `solo${i}`)), now: 7 },
    returns: 1,
  },
];

const ONE_OF = { organizationId: 'o1', now: NOW };
const changes: readonly HotStatement[] = [
  { definition: `${SQL}/find-jobs.ts#getJob`, title: 'job', statement: getJob, params: { ...ONE_OF, id: 'solo1' }, returns: 1 },
  {
    definition: `${SQL}/change-jobs.ts#cancelJob`,
    title: 'cancel a job',
    statement: cancelJob,
    params: { ...ONE_OF, id: 'solo1' },
    returns: 1,
  },
  {
    definition: `${SQL}/change-jobs.ts#rescheduleJob`,
    title: 'reschedule a job',
    statement: rescheduleJob,
    params: { ...ONE_OF, id: 'later1', dueAt: NOW },
    returns: 1,
  },
  {
    definition: `${SQL}/change-jobs.ts#replayJob`,
    title: 'replay a job',
    statement: replayJob,
    params: { ...ONE_OF, id: 'dead1' },
    returns: 1,
  },
  {
    definition: `${SQL}/change-jobs.ts#purgeDeadJob`,
    title: 'purge a dead job',
    statement: purgeDeadJob,
    params: { ...ONE_OF, id: 'dead1' },
    returns: 1,
  },
];

/** What is counted, or looked through, one index entry after the other. */
const everyEntry = (reason: string, worlds?: readonly string[]): OwnLimit => ({
  reason,
  ...(worlds ? { worlds } : {}),
  rows: ({ returned, scale }) => 10 * returned + 3 * scale,
  growth: 120,
});

const PAGE = 51;
const lists: readonly HotStatement[] = [
  ...[false, true].flatMap((organization) =>
    [false, true].flatMap((queue) =>
      [false, true].map((after): HotStatement => {
        const shape = { organization, queue, after };
        return {
          definition: `${SQL}/find-jobs.ts#listFailedJobs`,
          title: ['failed jobs', ...Object.entries(shape).flatMap(([name, given]) => (given ? [name] : []))].join(', '),
          statement: listFailedJobs(shape),
          params: { organizationId: 'o1', queue: 'mail', afterTime: NOW - 499_900, afterId: '', limit: PAGE },
          returns: PAGE,
          own: everyEntry('its total counts the dead jobs that match, in their index', [DEAD, DEAD_ELSEWHERE, 'dead of others']),
        };
      }),
    ),
  ),
  {
    definition: `${SQL}/count-jobs.ts#countJobs`,
    title: 'statistics',
    statement: countJobs({ queue: false, organization: false }),
    params: {},
    returns: 10,
    worlds: without('pending in other queues', DEAD_ELSEWHERE),
    own: everyEntry('it counts what there is, in the indexes alone'),
  },
];

const BEFORE = { completedBefore: 1_000, deadBefore: 1_000, now: NOW };
const AGO = { completedBefore: `CAST(:now AS BIGINT) - ${NOW - 1_000}`, deadBefore: `CAST(:now AS BIGINT) - ${NOW - 1_000}` };
const sweeps: readonly HotStatement[] = [
  {
    definition: `${SQL}/sweep-jobs.ts#freeExpiredKeys`,
    title: 'keys that are over',
    statement: freeExpiredKeys,
    params: { now: NOW, limit: BATCH },
    returns: BATCH,
  },
  {
    definition: `${SQL}/sweep-jobs.ts#sweepJobs`,
    title: 'sweep jobs',
    statement: sweepJobs,
    params: { ...BEFORE, limit: 2 * BATCH },
    returns: 2 * BATCH,
  },
  { definition: `${SQL}/sweep-jobs.ts#findSweepable`, title: 'jobs to sweep', statement: findSweepable, params: BEFORE, returns: 1 },
  {
    definition: `${SQL}/sweep-jobs.ts#findSweepable`,
    title: 'jobs to sweep, as the reaper asks',
    statement: defineStatement({
      label: 'queue.sweepable',
      operation: 'select',
      table: 'queue_job',
      sql: `SELECT (${sweepableJobs(AGO, 'CAST(:now AS BIGINT)')}) AS d0, (${oldRun(AGO.deadBefore)}) AS d1`,
    }),
    params: { now: NOW },
    returns: 1,
  },
];

export const queue: PluginStatements = {
  file: 'scripts/gates/statement-plans/queue.ts',
  migrations: [queueMigrations],
  async wanted(store) {
    await wantedJobs(store);
    await wantedSchedules(store);
  },
  worlds: [...jobWorlds, ...scheduleWorlds],
  hot: [...claims, ...ticks, ...settles, ...enqueues, ...changes, ...lists, ...sweeps, ...scheduleStatements],
  cold: [
    { definition: `${SQL}/schedules.ts#listSchedules`, reason: 'run by an operator, and gives all schedules there are' },
    ...['pauseQueue', 'resumeQueue'].map((name) => ({
      definition: `${SQL}/pause-queues.ts#${name}`,
      reason: 'run by an operator, over a table with one row for each queue that is paused',
    })),
    ...['replayJobs', 'purgeScheduled', 'purgeFree', 'purgeCapped'].map((name) => ({
      definition: `${SQL}/change-jobs.ts#${name}`,
      reason: 'run by an operator over a whole queue, a bounded number of jobs at a time',
    })),
  ],
};

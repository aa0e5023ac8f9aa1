// The hot statements of service-queue's schedules, and the schedules and runs that they must find and pass by.
import type { Store } from '../../../packages/contracts/src/index.js';
import { laneOf, laneRange } from '../../../packages/service-queue/src/lane.js';
import { insertRuns, insertScheduledJobs, moveSchedules } from '../../../packages/service-queue/src/sql/fire-schedules.js';
import { findOldRun, listRuns, skipWaitingRuns, sweepRuns } from '../../../packages/service-queue/src/sql/schedule-runs.js';
import {
  dueSchedules,
  getSchedule,
  insertSchedule,
  pauseSchedule,
  removeSchedule,
  replaceSchedule,
} from '../../../packages/service-queue/src/sql/schedules.js';
import { type SeededColumns, seedRows } from '../../../packages/service-queue/src/sql/seeded-jobs.fixture.js';
import { surveyJobs } from '../../../packages/service-queue/src/sql/survey-jobs.js';
import type { HotStatement, OwnLimit, World } from './hot-statement.js';
import { BATCH, NOW } from './queue-worlds.js';

const SQL = 'packages/service-queue/src/sql';
/** Runs of a schedule that wait for the one before, of so many schedules. */
const READY = 8;

const schedules = (store: Store, prefix: string, count: number, columns: SeededColumns) =>
  seedRows(store, 'queue_schedule', count, {
    name: `'${prefix}' || i`,
    organization_id: `'o1'`,
    paused: '0',
    revision: `'r'`,
    created_at: '0',
    updated_at: '0',
    spec: `'{}'`,
    ...columns,
  });

const runs = (store: Store, name: string, count: number, columns: SeededColumns) =>
  seedRows(store, 'queue_schedule_run', count, {
    name,
    fire_at: 'i',
    organization_id: `'o1'`,
    outcome: `'published'`,
    created_at: `${NOW} + i`,
    ...columns,
  });

export async function wantedSchedules(store: Store): Promise<void> {
  await schedules(store, 'due', BATCH, { next_fire_at: '1000 + i' });
  await schedules(store, 'ready', READY, { next_fire_at: `${NOW + 1} + i`, waiting_at: '500 + i' });
  await runs(store, `'ready' || i`, READY, { fire_at: '500 + i', outcome: `'waiting'` });
  await runs(store, `'gone' || i`, READY, { fire_at: '500 + i', outcome: `'waiting'` });
  await runs(store, `'due' || i`, BATCH, { fire_at: '7', job_id: `'run' || i` });
  // So many that Postgres, too, looks them up.
  await runs(store, `'old'`, 2_000, { created_at: 'i' });
  await schedules(store, 'paused', 1_000, { paused: '1' });
}

const ofSchedules = (name: string, columns: SeededColumns): World => ({
  name,
  table: 'queue_schedule',
  seed: (store, scale) => schedules(store, 'mass', scale, columns),
});
const ofRuns = (name: string, schedule: string, columns: SeededColumns = {}): World => ({
  name,
  table: 'queue_schedule_run',
  seed: (store, scale) => runs(store, schedule, scale, columns),
});

const LAGGING = 'schedules that lag behind a job';
export const scheduleWorlds: readonly World[] = [
  ofSchedules('schedules that fire later', { next_fire_at: `${NOW + 100_000} + i` }),
  ofSchedules('schedules due', { next_fire_at: `${NOW - 500_000} + i` }),
  ofSchedules('schedules due at one time', { next_fire_at: `${NOW}` }),
  ofSchedules('schedules, paused', { next_fire_at: 'i', paused: '1' }),
  ofSchedules('schedules that never fire', {}),
  ofSchedules(LAGGING, { waiting_at: 'i % 500', last_job_id: `'held1'` }),
  ofRuns('runs of a schedule', `'due0'`, { fire_at: '100 + i' }),
  ofRuns('runs of other schedules', `'mass' || i`),
  ofRuns('runs that wait', `'mass' || i`, { outcome: `'waiting'`, created_at: '0' }),
];
const WORLDS = scheduleWorlds.map(({ name }) => name);

/** Of those whose run waits, each is looked at. */
const LOOKS_AT_LAGGING: OwnLimit = {
  reason: 'it looks at the last job of each schedule that has a run waiting: there are as many as lag behind',
  worlds: [LAGGING],
  rows: ({ returned, scale }) => 10 * returned + 100 + 3 * scale,
  pages: ({ scale }) => 5 * scale,
  growth: 120,
};

const json = (value: unknown) => JSON.stringify(value);
const batch = <T>(make: (index: number) => T) => Array.from({ length: BATCH }, (_, index) => make(index));

const fires = batch((i) => ({
  name: `due${i}`,
  seen: 'r',
  fresh: 'r2',
  next_fire_at: NOW + 60_000,
  last_fire_at: 1000 + i,
  last_job_id: `run${i}`,
  waiting_at: null,
}));
const published = batch((i) => ({ name: `due${i}`, fire_at: NOW + i, fresh: 'r', outcome: 'published', reason: null, job_id: `run${i}` }));
const jobs = batch((i) => ({
  id: `run${i}`,
  name: `due${i}`,
  fire_at: 7,
  organization_id: 'o1',
  queue: 'mail',
  status: 'pending',
  lane: laneOf('o1', null),
  priority: 100,
  max_attempts: 3,
  due_at: 7,
  data: '{}',
  options: null,
}));
const NAMED = { name: 'due1', now: NOW, fresh: 'r2' };

export const scheduleStatements: readonly HotStatement[] = [
  {
    definition: `${SQL}/survey-jobs.ts#surveyJobs`,
    title: 'survey, among schedules',
    statement: surveyJobs,
    params: { now: NOW, queues: json([{ queue: 'mail', ...laneRange() }]) },
    returns: 1,
    worlds: WORLDS,
    own: LOOKS_AT_LAGGING,
  },
  {
    definition: `${SQL}/schedules.ts#dueSchedules`,
    title: 'schedules that are due',
    statement: dueSchedules,
    params: { now: NOW, limit: BATCH },
    returns: BATCH,
    worlds: WORLDS,
    own: LOOKS_AT_LAGGING,
  },
  {
    definition: `${SQL}/fire-schedules.ts#moveSchedules`,
    title: 'fire: schedules',
    statement: moveSchedules,
    params: { fires: json(fires) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/fire-schedules.ts#insertRuns`,
    title: 'fire: runs',
    statement: insertRuns,
    params: { now: NOW, runs: json(published) },
    returns: BATCH,
    worlds: WORLDS,
  },
  {
    definition: `${SQL}/fire-schedules.ts#insertScheduledJobs`,
    title: 'fire: jobs',
    statement: insertScheduledJobs,
    params: { now: NOW, jobs: json(jobs) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/fire-schedules.ts#insertScheduledJobs`,
    title: 'fire: jobs, among runs',
    statement: insertScheduledJobs,
    params: { now: NOW, jobs: json(jobs) },
    returns: BATCH,
    worlds: WORLDS,
  },
  {
    definition: `${SQL}/schedules.ts#getSchedule`,
    title: 'schedule',
    statement: getSchedule,
    params: { name: 'due1' },
    returns: 1,
  },
  {
    definition: `${SQL}/schedules.ts#insertSchedule`,
    title: 'declare a schedule',
    statement: insertSchedule,
    params: { name: 'fresh', organizationId: 'o1', spec: '{}', nextFireAt: NOW, fresh: 'r', now: NOW },
    returns: 1,
  },
  {
    definition: `${SQL}/schedules.ts#replaceSchedule`,
    title: 'change a schedule',
    statement: replaceSchedule,
    params: { ...NAMED, organizationId: 'o1', spec: '{}', nextFireAt: NOW, seen: 'r' },
    returns: 1,
  },
  {
    definition: `${SQL}/schedules.ts#pauseSchedule`,
    title: 'pause a schedule',
    statement: pauseSchedule,
    params: { ...NAMED, organizationId: 'o1', paused: 1 },
    returns: 1,
  },
  {
    definition: `${SQL}/schedules.ts#removeSchedule`,
    title: 'remove a schedule',
    statement: removeSchedule,
    params: { name: 'due1', organizationId: 'o1' },
    returns: 1,
  },
  {
    definition: `${SQL}/schedule-runs.ts#skipWaitingRuns`,
    title: 'runs that waited for a schedule that is gone',
    statement: skipWaitingRuns,
    params: { name: 'gone1', reason: 'gone' },
    returns: 1,
  },
  {
    definition: `${SQL}/schedule-runs.ts#listRuns`,
    title: 'runs of a schedule',
    statement: listRuns,
    params: { name: 'old', limit: BATCH },
    returns: BATCH,
  },
  {
    definition: `${SQL}/schedule-runs.ts#sweepRuns`,
    title: 'sweep runs',
    statement: sweepRuns,
    params: { createdBefore: 1_000, limit: BATCH },
    returns: BATCH,
  },
  {
    definition: `${SQL}/schedule-runs.ts#findOldRun`,
    title: 'runs to sweep',
    statement: findOldRun,
    params: { createdBefore: 1_000 },
    returns: 1,
  },
];

/** What retention takes and leaves, on every store, and in what pieces. */
import type { JobStore, ReaperDuty, ScheduleStore } from '@bellhop/contracts';
import { SWEEP_BATCH, SWEEP_BATCHES } from '@bellhop/reaper';
import { defineStatement } from '@bellhop/store';
import { ManualClock, TEST_STORE_NAMES } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { seedJobs, seedRows } from '../sql/seeded-jobs.fixture.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';
import { MemoryScheduleStore } from '../stores/memory-schedule-store.js';
import { jobMaker, twoJobStores } from '../stores/sql-jobs.fixture.js';
import { retentionDuties } from './retention-duties.js';

const DAY_MS = 86_400_000;
const KEEP = { completedMs: 7 * DAY_MS, deadMs: 30 * DAY_MS, scheduleRunsMs: 30 * DAY_MS };
const running = () => new AbortController().signal;

function duties(jobs: JobStore, schedules: ScheduleStore, inStore: boolean) {
  const [ofJobs, ofRuns] = retentionDuties(KEEP, {
    jobs: () => jobs,
    schedules: () => schedules,
    inStore: { jobs: inStore, schedules: inStore },
  }) as [ReaperDuty, ReaperDuty];
  return { ofJobs, ofRuns };
}

/** A job of each end, at this instant. */
async function endOneOfEach(jobs: JobStore, job: ReturnType<typeof jobMaker>) {
  const ids = { completed: job(), cancelled: job(), dead: job() };
  await jobs.enqueue([ids.completed, ids.dead]);
  const claims = await jobs.claim({ workerId: 'w', queues: [{ queue: 'mail', limit: 10, leaseMs: 1_000 }] });
  await jobs.ack(
    claims.map((claim) => ({
      claim,
      result: claim.id === ids.dead.id ? { outcome: 'dead' as const, error: 'no' } : { outcome: 'completed' as const },
    })),
  );
  await jobs.enqueue([ids.cancelled]);
  await jobs.cancel(ids.cancelled.id);
  return { completed: ids.completed.id, cancelled: ids.cancelled.id, dead: ids.dead.id };
}

describe.each([...TEST_STORE_NAMES, 'memory jobs'] as const)('retention on %s', (name) => {
  /** Stores, the duties over them, and how the reaper would ask. */
  async function open() {
    if (name === 'memory jobs') {
      const clock = new ManualClock();
      const jobs = new MemoryJobStore({ clock });
      const { ofJobs } = duties(jobs, new MemoryScheduleStore({ clock, jobs }), false);
      const asks = async () => 'hasWork' in ofJobs && (await ofJobs.hasWork(clock.now()));
      return { clock, jobs, job: jobMaker(clock), ofJobs, asks, close: async () => {} };
    }
    const two = await twoJobStores(name);
    const { ofJobs } = duties(two.jobs, two.schedules, true);
    const question = defineStatement({
      label: 'test.question',
      operation: 'select',
      table: 'queue_job',
      sql: `SELECT (${(ofJobs as { question: string }).question}) AS found`,
    });
    const asks = async () => Number((await two.store.read<{ found: number }>(question, { now: two.clock.now() }))[0]?.found) === 1;
    return { clock: two.clock, jobs: two.jobs, job: two.job, ofJobs, asks, close: () => two.database.drop() };
  }

  it('takes completed and cancelled jobs after seven days, dead ones after thirty, and says so before it does', async () => {
    const { clock, jobs, job, ofJobs, asks, close } = await open();
    const run = () => ofJobs.run({ now: clock.now(), signal: running() });
    const old = await endOneOfEach(jobs, job);
    const alive = job({ delayMs: 90 * DAY_MS });
    await jobs.enqueue([alive]);
    const left = async () =>
      (await Promise.all([old.completed, old.cancelled, old.dead, alive.id].map((id) => jobs.get(id)))).map(
        (found) => found?.status ?? null,
      );

    await clock.advance(7 * DAY_MS);
    expect([await asks(), await run()]).toEqual([false, 0]);
    expect(await left()).toEqual(['completed', 'cancelled', 'dead', 'scheduled']);
    await clock.advance(1);
    expect([await asks(), await run(), await asks()]).toEqual([true, 2, false]);
    expect(await left()).toEqual([null, null, 'dead', 'scheduled']);
    await clock.advance(23 * DAY_MS - 1);
    expect([await asks(), await run()]).toEqual([false, 0]);
    await clock.advance(1);
    expect([await asks(), await run(), await asks()]).toEqual([true, 1, false]);
    expect(await left()).toEqual([null, null, null, 'scheduled']);
    await close();
  });

  it('frees all keys that are over in one run, also where they are more than a batch and no job goes', async () => {
    const { clock, jobs, job, ofJobs, asks, close } = await open();
    const keyed = Array.from({ length: 2 * SWEEP_BATCH + 1 }, (_, i) => job({ idempotencyKey: `k${i}` }));
    for (let i = 0; i < keyed.length; i += 500) await jobs.enqueue(keyed.slice(i, i + 500));
    for (let left = keyed.length; left > 0; ) {
      const claims = await jobs.claim({ workerId: 'w', queues: [{ queue: 'mail', limit: 1_000, leaseMs: 60_000 }] });
      await jobs.ack(claims.map((claim) => ({ claim, result: { outcome: 'completed' as const } })));
      left -= claims.length;
    }
    await clock.advance(DAY_MS - 1);
    expect(await asks()).toBe(false);
    await clock.advance(1);
    expect([await asks(), await ofJobs.run({ now: clock.now(), signal: running() }), await asks()]).toEqual([
      name !== 'memory jobs',
      0,
      false,
    ]);
    expect(await jobs.get(keyed[0]!.id)).toMatchObject({ status: 'completed' });
    await close();
  });
});

const END = { status: `'completed'`, finished_at: 'i' };

describe.each(TEST_STORE_NAMES)('retention of many jobs on %s', (name) => {
  it('goes on in batches until nothing is left, also when two processes are at it', async () => {
    const { store, jobs, second, schedules, clock, count, database } = await twoJobStores(name);
    await seedJobs(store, 'old', 5_500, END);
    await seedJobs(store, 'recent', 10, { ...END, finished_at: String(clock.now()) });
    const both = await Promise.all(
      [jobs, second].map((each) => duties(each, schedules, true).ofJobs.run({ now: clock.now(), signal: running() })),
    );
    expect(both[0]! + both[1]!).toBe(5_500);
    expect(await count()).toBe(10);
    await database.drop();
  });

  it('sweeps the history of schedules after thirty days, in batches, and asks for that, too (control: what is younger stays)', async () => {
    const { store, jobs, schedules, clock, cost, database } = await twoJobStores(name);
    const { ofRuns } = duties(jobs, schedules, true);
    const old = { name: `'daily'`, fire_at: 'i', outcome: `'skipped'`, created_at: 'i' };
    await seedRows(store, 'queue_schedule_run', 2_500, old);
    await seedRows(store, 'queue_schedule_run', 5, { ...old, name: `'young'`, created_at: String(clock.now() - 30 * DAY_MS) });
    const question = defineStatement({
      label: 'test.question',
      operation: 'select',
      table: 'queue_schedule_run',
      sql: `SELECT (${(ofRuns as { question: string }).question}) AS found`,
    });
    const asks = async () => Number((await store.read<{ found: number }>(question, { now: clock.now() }))[0]?.found);
    expect(await asks()).toBe(1);
    let swept = 0;
    const { labels } = await cost(async () => {
      swept = await ofRuns.run({ now: clock.now(), signal: running() });
    });
    expect(swept).toBe(2_500);
    expect(labels.filter((label) => label === 'queue.sweepRuns')).toHaveLength(3);
    expect([await asks(), (await schedules.runs('young', 200)).length]).toEqual([0, 5]);
    await database.drop();
  });
});

describe('a backlog of more than a run may take', () => {
  it('is swept in pieces, others get their turn between them, and the next tick goes on', async () => {
    const { store, jobs, schedules, clock, job, count, cost, database } = await twoJobStores('sqlite');
    const most = SWEEP_BATCH * SWEEP_BATCHES;
    await seedJobs(store, 'old', most + 500, END);
    const { ofJobs } = duties(jobs, schedules, true);
    let left = 0;
    const published = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      await jobs.enqueue([job()]);
      left = await count({ status: 'completed' });
    });
    const { labels } = await cost(async () => {
      expect(await ofJobs.run({ now: clock.now(), signal: running() })).toBe(most);
    });
    await published;
    expect(labels.filter((label) => label === 'queue.sweep')).toHaveLength(SWEEP_BATCHES);
    expect(left).toBeGreaterThan(most / 2);
    expect(await count({ status: 'completed' })).toBe(500);
    expect(await ofJobs.run({ now: clock.now(), signal: running() })).toBe(500);
    expect(await count()).toBe(1);
    await database.drop();
  });

  it('is left after the batch in which the time is up (control: the next run takes the rest)', async () => {
    const { store, jobs, schedules, clock, database } = await twoJobStores('sqlite');
    await seedJobs(store, 'old', 3_500, END);
    const stop = new AbortController();
    let sweeps = 0;
    const stopping = new Proxy(jobs, {
      get(target, key) {
        if (key !== 'sweep') return Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key);
        return (options: Parameters<JobStore['sweep']>[0]) => {
          sweeps += 1;
          if (sweeps === 2) stop.abort();
          return target.sweep(options);
        };
      },
    });
    const { ofJobs } = duties(stopping, schedules, true);
    expect(await ofJobs.run({ now: clock.now(), signal: stop.signal })).toBe(2_000);
    expect(await ofJobs.run({ now: clock.now(), signal: running() })).toBe(1_500);
    await database.drop();
  });
});

describe('stores of a deployment', () => {
  it('are asked by themselves, and where there are no schedules there is no work', async () => {
    const clock = new ManualClock();
    const jobs = new MemoryJobStore({ clock });
    const none = retentionDuties(KEEP, { jobs: () => jobs, schedules: () => undefined, inStore: { jobs: false, schedules: false } });
    for (const duty of none) {
      expect('question' in duty).toBe(false);
      expect(await (duty as { hasWork(now: number): unknown }).hasWork(0)).toBe(false);
      expect(await duty.run({ now: 0, signal: running() })).toBe(0);
    }
  });
});

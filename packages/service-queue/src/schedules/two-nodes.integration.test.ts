import type { ScheduleFire, ScheduleSpec, Store } from '@bellhop/contracts';
import { type Child, emptyTables, ManualClock, startChild, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueMigrations } from '../migrations/queue-migrations.js';
import { SqlJobStore } from '../stores/sql-job-store.js';
import { SqlScheduleStore } from '../stores/sql-schedule-store.js';
import type { NodeReport } from './fire-node.fixture.js';
import { QueueSchedules } from './queue-schedules.js';

const MINUTE_MS = 60_000;
const SPEC: ScheduleSpec = { timing: { everyMs: MINUTE_MS }, queue: 'report' };
const NAMES = Array.from({ length: 20 }, (_, n) => `s${n}`);

describe.each(['sqlite', 'postgres'] as const)('two nodes on one database on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  const clock = new ManualClock();
  const start = clock.now();
  const children: Child[] = [];

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock });
    await store.migrate(queueMigrations);
  });
  beforeEach(() => emptyTables(store, ['queue_job', 'queue_schedule', 'queue_schedule_run']));
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
  });
  afterAll(() => database.drop());

  const schedulesOn = (on: Store) =>
    new QueueSchedules({ store: new SqlScheduleStore({ store: on }), jobs: new SqlJobStore({ store: on }), clock });

  async function nodes() {
    for (const each of NAMES) await schedulesOn(store).schedule(each, SPEC);
    const made = [0, 1].map(() =>
      startChild(new URL('./fire-node.fixture.ts', import.meta.url), { args: [database.options.url as string] }),
    );
    children.push(...made);
    await Promise.all(made.map((child) => child.message((message) => 'ready' in (message as object))));
    return made as [Child, Child];
  }
  const noticed = (child: Child) => child.message((message) => 'noticed' in (message as object));
  const report = (child: Child) => child.message<NodeReport>((message) => 'at' in (message as object));

  /** Every run that the history has, as the nodes tell of theirs. */
  const published = async () =>
    (await store.knex('queue_schedule_run').where({ outcome: 'published' })).map((run) => `${run.name} ${run.fire_at}`).sort();
  const expected = (rounds: number) =>
    NAMES.flatMap((each) => Array.from({ length: rounds }, (_, n) => `${each} ${start + (n + 1) * MINUTE_MS}`)).sort();

  it('make one run of each fire time that both have noticed (control: each fire was tried by both)', async () => {
    const both = await nodes();
    const ran: string[] = [];
    const outcomes: string[] = [];
    const take = async (child: Child) => {
      const { ran: more, outcomes: come } = await report(child);
      ran.push(...more);
      outcomes.push(...come);
    };
    for (let round = 0; round < 5; round += 1) {
      for (const child of both) child.send({ advanceMs: MINUTE_MS, gated: true });
      await Promise.all(both.map(noticed));
      for (const child of both) child.send({ go: true });
      await Promise.all(both.map(take));
    }
    // What one published when the other had looked already.
    for (const child of both) child.send({ advanceMs: 30_000, gated: false });
    await Promise.all(both.map(take));
    expect(await published()).toEqual(expected(5));
    expect(ran.sort()).toEqual(expected(5));
    expect(outcomes.filter((outcome) => outcome === 'fired')).toHaveLength(100);
    expect(outcomes.filter((outcome) => outcome === 'lost').length).toBeGreaterThanOrEqual(100);
    expect(await store.knex('queue_job').where({ status: 'completed' })).toHaveLength(100);
  });

  it('lose no fire time when one is killed between noticing and firing', async () => {
    const [killed, other] = await nodes();
    killed.send({ advanceMs: MINUTE_MS, gated: true });
    await noticed(killed);
    await killed.kill();
    other.send({ advanceMs: 2 * MINUTE_MS, gated: false });
    const { ran } = await report(other);
    expect([...ran].sort()).toEqual(expected(2));
    expect(await published()).toEqual(expected(2));
  });

  it('have one row for a fire time, which alone keeps its job from being published again (control: without it, it is)', async () => {
    const second = await database.open({ clock });
    const [one, two] = [store, second].map((on) => new SqlScheduleStore({ store: on })) as [SqlScheduleStore, SqlScheduleStore];
    await schedulesOn(store).schedule('daily', { ...SPEC, timing: { once: start } });
    const jobs = async () => (await store.knex('queue_job').select()).length;
    const [noticedByTwo] = await two.due({ now: start, limit: 1 });
    expect(await schedulesOn(store).fireDue()).toEqual({ due: 1, fired: 1 });
    expect(await jobs()).toBe(1);

    /** Fires what the second node noticed, with the revision that the schedule has at this moment: as if nobody compared it. */
    const fireStale = async (id: string) => {
      const revision = (await one.get('daily'))?.revision as string;
      const job = { ...(await template()), id };
      const fire: ScheduleFire = {
        schedule: { ...(noticedByTwo as NonNullable<typeof noticedByTwo>), revision },
        nextFireAt: null,
        runs: [{ fireAt: start, outcome: 'published', reason: null, job }],
      };
      return two.fire([fire]);
    };
    expect(await fireStale('again')).toEqual(['fired']);
    expect(await jobs()).toBe(1);
    await store.knex('queue_schedule_run').delete();
    expect(await fireStale('unguarded')).toEqual(['fired']);
    expect(await jobs()).toBe(2);
  });

  it('do not repeat the fire times of a schedule that is removed and made again', async () => {
    const spec: ScheduleSpec = { ...SPEC, timing: { once: start } };
    const schedules = schedulesOn(store);
    const fired = async () => {
      await schedules.schedule('daily', spec);
      await schedules.fireDue();
      await schedules.unschedule('daily');
      return (await store.knex('queue_job').select()).length;
    };
    expect(await fired()).toBe(1);
    expect(await fired()).toBe(1);
    // Control: once its history has gone.
    await store.knex('queue_schedule_run').delete();
    expect(await fired()).toBe(2);
  });

  /** A job as a fire would store it. */
  async function template() {
    const backoff = { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' } as const;
    const none = { metadataText: null, groupKey: null, groupConcurrency: null, idempotencyKey: null, idempotencyUntil: null };
    const limits = { priority: 100, maxAttempts: 3, timeoutMs: 0, backoff };
    return { ...none, ...limits, organizationId: 'default', queue: 'report', dataText: 'null', dueAt: start };
  }
});

import { JOB_STORE, QUEUE, STORE, type Store } from '@bellhop/contracts';
import { Kernel, type KernelPlugin } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { queueMigrations } from './migrations/queue-migrations.js';
import { recordingHandler } from './queue-bench.fixture.js';
import type { QueuePluginOptions } from './queue-options.js';
import { queuePlugin } from './queue-plugin.js';
import { MemoryJobStore } from './stores/memory-job-store.js';
import { QUEUE_WORKER } from './worker/queue-worker-token.js';

const MINUTE_MS = 60_000;

/** What waits for a commit, and what hears of it in another kernel, is called soon after, not with it. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(TEST_STORE_NAMES)('queuePlugin on %s', (name) => {
  // One database for all tests of a store: to make one on Postgres takes longer than most of them.
  let database: TestDatabase;
  let cleaner: Store;
  const kernels: Kernel[] = [];
  beforeAll(async () => {
    database = await testDatabase(name);
    cleaner = await database.open();
    await cleaner.migrate(queueMigrations);
  });
  beforeEach(() => emptyTables(cleaner, [...queueMigrations.tenantTables, 'queue_pause']));
  afterEach(async () => {
    for (const kernel of kernels.splice(0)) await kernel.stop();
  });
  afterAll(() => database.drop());

  async function boot(options: QueuePluginOptions = {}, extra: KernelPlugin[] = [], clock = new ManualClock()) {
    const kernel = new Kernel({ clock }).use(storePlugin({ ...database.options, posture: 'isolated' })).use(queuePlugin(options));
    for (const plugin of extra) kernel.use(plugin);
    kernels.push(kernel);
    await kernel.start();
    return {
      kernel,
      clock,
      store: kernel.resolve(STORE),
      queue: kernel.resolve(QUEUE),
      jobs: kernel.resolve(JOB_STORE),
      worker: options.work === false ? (undefined as never) : kernel.resolve(QUEUE_WORKER),
    };
  }

  it('runs what is published at once, and keeps what came of it', async () => {
    const { queue, worker, clock, store } = await boot();
    const { handler, seen } = recordingHandler();
    queue.subscribe('mail', handler);
    await worker.settled();
    const { id, deduped } = await queue.publish('mail', { to: 'ada' }, { organizationId: 'acme', metadata: { from: 'test' } });
    await worker.settled();
    expect(deduped).toBe(false);
    expect(seen).toMatchObject([{ id, data: { to: 'ada' }, organizationId: 'acme', metadata: { from: 'test' }, attempt: 1 }]);
    expect(await queue.get(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(clock.monotonic()).toBe(0);
    expect(store.audit.findings()).toEqual([]);
  });

  it('wakes after the commit of the caller’s transaction, and never after its rollback', async () => {
    const { queue, worker, store } = await boot({ workIntervalMs: MINUTE_MS });
    const { handler, data } = recordingHandler();
    queue.subscribe('mail', handler);
    await worker.settled();
    const { wakes } = worker.counters();
    await store.transaction(async (trx) => {
      await queue.publish('mail', 'kept', {}, { trx });
      expect(worker.counters().wakes).toBe(wakes);
    });
    await turn();
    expect(worker.counters().wakes).toBe(wakes + 1);
    await worker.settled();
    expect(data()).toEqual(['kept']);
    await store
      .transaction(async (trx) => {
        await queue.publish('mail', 'dropped', {}, { trx });
        throw new Error('changed my mind');
      })
      .catch(() => {});
    await turn();
    expect(worker.counters().wakes).toBe(wakes + 1);
    await worker.tick();
    expect(data()).toEqual(['kept']);
  });

  it('stores the publishes of one turn in one transaction, and a list whole or not at all', async () => {
    const { queue, store } = await boot({ work: false });
    const before = store.meter.snapshot();
    await Promise.all([1, 2, 3].map((n) => queue.publish('mail', n)));
    const after = store.meter.snapshot();
    expect(after.statements - before.statements).toBe(1);
    await expect(queue.publishMany('mail', [{ data: 4 }, { data: 5, options: { priority: -1 } }])).rejects.toMatchObject({
      path: 'jobs[1].options.priority',
    });
    expect(await queue.getQueueSize('mail')).toBe(3);
    expect(await queue.publishMany('mail', [{ data: 4 }, { data: 5 }])).toHaveLength(2);
    expect(await queue.getQueueSize('mail')).toBe(5);
  });

  it('keeps what is published and subscribed before its store is ready, and hands it over', async () => {
    const { handler, data } = recordingHandler();
    let early: Promise<unknown> | undefined;
    const { worker } = await boot({}, [
      {
        name: 'early',
        after: [],
        init({ container }) {
          container.resolve(QUEUE).subscribe('mail', handler);
          early = container.resolve(QUEUE).publish('mail', 'early');
        },
      },
    ]);
    await early;
    await worker.settled();
    expect(data()).toEqual(['early']);
  });

  it('fires its schedules, whose jobs run at once, and the next one after it', async () => {
    const { queue, worker, clock } = await boot();
    const { handler, seen } = recordingHandler();
    queue.subscribe('report', handler);
    const settle = () => worker.settled();
    await queue.schedule('hourly', { timing: { everyMs: 3_600_000 }, queue: 'report', data: 'go' });
    await clock.runFor(3_599_999, { settle });
    expect(seen).toHaveLength(0);
    await clock.runFor(1, { settle });
    expect(seen).toHaveLength(1);
    await clock.runFor(3_600_000, { settle });
    expect(seen.map(({ metadata }) => metadata)).toMatchObject([{ schedule: 'hourly' }, { schedule: 'hourly' }]);
  });

  it.each([1, 100])('costs one read an idle interval with a schedule for each of %i queues, and no write', async (count) => {
    const { queue, worker, clock, store } = await boot({ workIntervalMs: 500, workMaxIdleIntervalMs: 1 });
    const settle = () => worker.settled();
    for (let n = 0; n < count; n += 1) {
      queue.subscribe(`queue-${n}`, () => {});
      await queue.schedule(`s${n}`, { timing: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' }, queue: `queue-${n}` });
    }
    await clock.runFor(1_000, { settle });
    const [before, { ticks }] = [store.meter.snapshot(), worker.counters()];
    await clock.runFor(10_000, { settle });
    const after = store.meter.snapshot();
    expect([after.statements - before.statements, after.transactions - before.transactions]).toEqual([20, 0]);
    expect(worker.counters().ticks - ticks).toBe(20);
  });

  it('runs in memory where it is told so, and says that nothing is durable', async () => {
    const { queue, worker, store, jobs, kernel } = await boot({ jobs: 'memory' });
    const { handler, data } = recordingHandler();
    queue.subscribe('mail', handler);
    await store.transaction((trx) => queue.publish('mail', 1, {}, { trx }));
    await worker.tick();
    expect(data()).toEqual([1]);
    expect(jobs).toBeInstanceOf(MemoryJobStore);
    expect(await store.knex('queue_job').select()).toEqual([]);
    expect((await kernel.health()).plugins).toMatchObject({ 'service-queue': { status: 'ok', details: { durable: false } } });
  });

  it('costs while it is idle one statement per interval, for 1 queue, 10 or 100', async () => {
    const costs: { statements: number; ticks: number }[] = [];
    for (const count of [1, 10, 100]) {
      const { kernel, queue, worker, store, clock } = await boot();
      for (let n = 0; n < count; n += 1) queue.subscribe(`queue-${n}`, () => {});
      await worker.settled();
      const [before, { ticks }] = [store.meter.snapshot(), worker.counters()];
      await clock.runFor(5 * MINUTE_MS, { settle: () => worker.settled() });
      costs.push({ statements: store.meter.snapshot().statements - before.statements, ticks: worker.counters().ticks - ticks });
      await kernel.stop();
    }
    const [first] = costs;
    expect(first?.statements).toBe(first?.ticks);
    // 10 while it backs off, then one each half a minute.
    expect(first?.ticks).toBeGreaterThanOrEqual(10);
    expect(first?.ticks).toBeLessThanOrEqual(20);
    expect(costs).toEqual([first, first, first]);
  });

  it('stops its worker: nothing reaches the database afterwards (control: it did before)', async () => {
    const { kernel, clock, store, worker } = await boot();
    await clock.runFor(MINUTE_MS, { settle: () => worker.settled() });
    const before = store.meter.snapshot().statements;
    expect(before).toBeGreaterThan(5);
    await kernel.stop();
    await clock.advance(10 * MINUTE_MS);
    expect(store.meter.snapshot().statements).toBe(before);
  });

  if (name === 'sqlite' || name === 'postgres') {
    it('fires in a kernel that subscribes nothing what one that does not work has scheduled, at its time', async () => {
      const idle = await boot({ work: false });
      const { worker, clock } = await boot({ workIntervalMs: MINUTE_MS }, [], idle.clock);
      await worker.settled();
      await idle.queue.schedule('soon', { timing: { everyMs: 7_000 }, queue: 'report' });
      await turn();
      await worker.settled();
      await clock.runFor(6_999, { settle: () => worker.settled() });
      expect(await idle.queue.scheduleRuns('soon')).toEqual([]);
      await clock.runFor(1, { settle: () => worker.settled() });
      expect(await idle.queue.scheduleRuns('soon')).toMatchObject([{ outcome: 'published', createdAt: clock.now() }]);
      expect(await idle.queue.getQueueSize('report')).toBe(1);
    });

    it('wakes the kernels of this process that share the database', async () => {
      const { handler, data } = recordingHandler();
      const publisher = await boot({ work: false });
      const { queue, worker } = await boot({ workIntervalMs: MINUTE_MS });
      queue.subscribe('mail', handler);
      await worker.settled();
      await publisher.queue.publish('mail', 1);
      await turn();
      await worker.settled();
      expect(data()).toEqual([1]);
    });

    it('hands what its stop cut short to them at once', async () => {
      const { handler, seen } = recordingHandler();
      const stopped = await boot({ workIntervalMs: MINUTE_MS, stopDeadlineMs: 0 });
      const { queue, worker, clock } = await boot({ workIntervalMs: MINUTE_MS });
      stopped.queue.subscribe('mail', () => new Promise(() => {}));
      const { id } = await stopped.queue.publish('mail', 1);
      await vi.waitFor(async () => expect(await queue.get(id)).toMatchObject({ status: 'running' }));
      queue.subscribe('mail', handler);
      await worker.settled();
      expect(seen).toEqual([]);
      await Promise.all([stopped.kernel.stop(), turn().then(() => stopped.clock.advance(0))]);
      // No longer than two wakes are kept apart: without the signal it would wait for the interval.
      await clock.advance(10);
      await vi.waitFor(() => expect(seen).toMatchObject([{ id, attempt: 1 }]));
    });
  }
});

it('refuses options that it does not know', () => {
  expect(() => queuePlugin({ workIntervalMS: 5 } as never)).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
  expect(() => queuePlugin({ maxConcurrency: 0 })).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
});

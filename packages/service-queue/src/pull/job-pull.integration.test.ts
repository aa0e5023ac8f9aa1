/** Consumers that pull, over each store: what their waiting costs the database, and who wakes them. */
import { JOB_STORE, QUEUE, STORE, type Store } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueMigrations } from '../migrations/queue-migrations.js';
import type { QueuePluginOptions } from '../queue-options.js';
import { queuePlugin } from '../queue-plugin.js';
import { JOB_PULL } from './job-pull-token.js';

describe.each(TEST_STORE_NAMES)('pulled jobs on %s', (name) => {
  let database: TestDatabase;
  let cleaner: Store;
  const kernels: Kernel[] = [];
  beforeAll(async () => {
    database = await testDatabase(name);
    cleaner = await database.open();
    await cleaner.migrate(queueMigrations);
  });
  beforeEach(() => emptyTables(cleaner, queueMigrations.tenantTables));
  afterEach(async () => {
    for (const kernel of kernels.splice(0)) await kernel.stop();
  });
  afterAll(() => database.drop());

  async function boot(options: QueuePluginOptions = {}, clock = new ManualClock()) {
    const kernel = new Kernel({ clock }).use(storePlugin({ ...database.options, posture: 'isolated' })).use(queuePlugin(options));
    kernels.push(kernel);
    await kernel.start();
    const [store, pull] = [kernel.resolve(STORE), kernel.resolve(JOB_PULL)];
    /** Until so many wait, and have looked for themselves. */
    const waiting = async (count: number) => {
      while (pull.counters().waiting !== count || pull.counters().trying > 0) await new Promise(setImmediate);
    };
    return { kernel, clock, store, pull, waiting, queue: kernel.resolve(QUEUE), jobs: kernel.resolve(JOB_STORE) };
  }

  it('one statement serves consumers of several queues and organizations that are woken together', async () => {
    const { pull, queue, store, waiting } = await boot({ work: false });
    const organizations = ['acme', 'umbrella', 'wayne'];
    const waits = organizations.flatMap((organizationId) =>
      ['mail', 'report'].map((of) => pull.claim(of, { organizationId, waitMs: 30_000 })),
    );
    await waiting(6);
    store.meter.reset();
    const jobs = organizations.map((organizationId) => ({ data: organizationId, options: { organizationId } }));
    await Promise.all([queue.publishMany('mail', jobs), queue.publishMany('report', jobs)]);
    const claimed = (await Promise.all(waits)).flat();
    expect(claimed.map(({ queue: of, data }) => `${of} ${data}`).toSorted()).toEqual(
      organizations.flatMap((organization) => [`mail ${organization}`, `report ${organization}`]).toSorted(),
    );
    expect(store.meter.snapshot().byLabel['queue.claim']?.statements).toBeLessThanOrEqual(2);
    expect(store.audit.findings()).toEqual([]);
  });

  it('come at their due time in a process that works nothing itself', async () => {
    const { pull, queue, clock, waiting } = await boot({ work: false });
    const { id } = await queue.publish('mail', 'later', { delayMs: 9_000 });
    let came = false;
    const wait = pull.claim('mail', { organizationId: 'default', waitMs: 20_000 }).then((jobs) => {
      came = true;
      return jobs;
    });
    await waiting(1);
    await clock.runFor(8_999, { settle: () => waiting(1) });
    expect(came).toBe(false);
    await clock.runFor(1);
    expect(await wait).toMatchObject([{ id, data: 'later', attempts: 1 }]);
  });

  it('are given to one consumer each, however many claim at once', async () => {
    const { pull, queue } = await boot({ work: false });
    await queue.publishMany(
      'mail',
      Array.from({ length: 30 }, (_, data) => ({ data })),
    );
    const claims = await Promise.all(Array.from({ length: 10 }, () => pull.claim('mail', { organizationId: 'default', limit: 5 })));
    const data = claims.flat().map((job) => job.data as number);
    expect(data.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, each) => each));
  });

  if (name === 'sqlite' || name === 'postgres') {
    it('are announced to consumers of other processes', async () => {
      const publisher = await boot({ work: false });
      const { pull, waiting } = await boot({ work: false });
      const wait = pull.claim('mail', { organizationId: 'default', waitMs: 30_000 });
      await waiting(1);
      await publisher.queue.publish('mail', 'from afar');
      // Time stands still: only a signal can have told it.
      expect(await wait).toMatchObject([{ data: 'from afar' }]);
    });
  }
});

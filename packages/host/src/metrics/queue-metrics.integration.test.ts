/** What a scrape tells of the queue and of what sweeps it, and what it costs. */
import { QUEUE, STORE } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { REAPER } from '@bellhop/reaper';
import { NOTIFICATION_DISPATCHER } from '@bellhop/service-messaging';
import { PermanentError, QUEUE_WORKER } from '@bellhop/service-queue';
import { ManualClock, TEST_STORE_NAMES, type TestStoreName, testDatabase } from '@bellhop/testing';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { hostPlugins } from '../plugins.js';
import { registerQueueMetrics } from './queue-metrics.js';
import { registerReaperMetrics } from './reaper-metrics.js';

const HOUR_MS = 3_600_000;

async function boot(name: TestStoreName) {
  const database = await testDatabase(name);
  const clock = new ManualClock();
  const kernel = new Kernel({ clock });
  for (const plugin of hostPlugins({ database: database.options, reaper: { reap: false } })) kernel.use(plugin);
  await kernel.start();
  const registry = new Registry();
  registerQueueMetrics(registry, kernel);
  registerReaperMetrics(registry, kernel);
  const scrape = async () => Object.fromEntries((await registry.metrics()).split('\n').map((line) => line.split(/ (?=\S+$)/)));
  return {
    clock,
    kernel,
    scrape,
    store: kernel.resolve(STORE),
    queue: kernel.resolve(QUEUE),
    /** Every loop that asks the store: what one of them still does would be counted as the scrape's. */
    settle: () => Promise.all([kernel.resolve(QUEUE_WORKER).settled(), kernel.resolve(NOTIFICATION_DISPATCHER).settled()]),
    reaper: kernel.resolve(REAPER),
    async close() {
      await kernel.stop();
      await database.drop();
    },
  };
}

const AGE = 'bellhop_queue_oldest_dead_age_seconds';

describe.each(TEST_STORE_NAMES)('the metrics of the queue on %s', (name) => {
  it('tell how long ago the oldest dead job died, by one statement, until it is swept', async () => {
    const { clock, scrape, store, queue, settle, reaper, close } = await boot(name);
    queue.subscribe('mail', () => {
      throw new PermanentError('no such address');
    });
    expect((await scrape())[AGE]).toBe('0');
    // Wakes are 10 ms apart at least, by the clock that does not jump: the tick that follows the subscription may be the last for that long.
    await clock.runFor(1_000, { settle });
    for (const hours of [2, 718]) {
      const { id } = await queue.publish('mail', {});
      await settle();
      expect((await queue.get(id))?.status).toBe('dead');
      clock.jumpWall(hours * HOUR_MS - 1_000);
      await clock.runFor(1_000, { settle });
    }
    const before = store.meter.snapshot().statements;
    expect((await scrape())[AGE]).toBe(String(720 * 3_600));
    expect(store.meter.snapshot().statements - before).toBe(1);

    expect(await reaper.tick()).toEqual([]);
    clock.jumpWall(1);
    expect(await reaper.tick()).toEqual([{ duty: 'queue.retention', outcome: 'done', count: 1 }]);
    expect(await scrape()).toMatchObject({
      [AGE]: String(718 * 3_600 + 0.001),
      'bellhop_reaper_runs_total{duty="queue.retention",outcome="done"}': '1',
      'bellhop_reaper_runs_total{duty="queue.retention",outcome="failed"}': '0',
      'bellhop_reaper_done_total{duty="queue.retention"}': '1',
      'bellhop_reaper_running{duty="queue.retention"}': '0',
      'bellhop_reaper_done_total{duty="queue.schedule-history"}': '0',
    });
    await close();
  });
});

it('a database that cannot be asked takes no other metric along: the age is not known', async () => {
  const { scrape, store, close } = await boot('sqlite');
  const read = store.read.bind(store);
  store.read = () => Promise.reject(new Error('gone'));
  const lines = await scrape();
  store.read = read;
  expect([lines[AGE], lines.bellhop_queue_running]).toEqual(['Nan', '0']);
  await close();
});

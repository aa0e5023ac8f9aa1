/** What a scrape tells of the board, its stalled queues and its wakes, and what it costs. */
import { BOARD, type IBoard, type IStall, STALL, STORE, type TodoCount } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { ManualClock, TEST_STORE_NAMES, type TestStoreName, testDatabase } from '@bellhop/testing';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { boardPlugins } from '../plugins.js';
import { OTHER_QUEUES, QUEUES_SHOWN_MAX, registerBoardMetrics } from './board-metrics.js';

const scope = { organizationId: 'acme' };

async function scrapeOf(registry: Registry): Promise<Record<string, string>> {
  return Object.fromEntries((await registry.metrics()).split('\n').map((line) => line.split(/ (?=\S+$)/)));
}

async function boot(name: TestStoreName) {
  const database = await testDatabase(name);
  const clock = new ManualClock();
  const store = await database.open({ clock });
  const kernel = new Kernel({ clock }).use({ name: 'store' });
  for (const plugin of boardPlugins({})) kernel.use(plugin);
  kernel.bind(STORE, store);
  await kernel.start();
  const registry = new Registry();
  registerBoardMetrics(registry, kernel);
  return {
    clock,
    store,
    board: kernel.resolve(BOARD),
    scrape: () => scrapeOf(registry),
    async close() {
      await kernel.stop();
      await store.close();
      await database.drop();
    },
  };
}

describe.each(TEST_STORE_NAMES)('the metrics of the board on %s', (name) => {
  it('count todos by queue and state, with honest zeroes, by two statements, and show no queue that was emptied', async () => {
    const { clock, store, board, scrape, close } = await boot(name);
    const { credential } = await board.vend({ slug: 'worker', queues: ['a', 'b'] }, scope);
    const consumer = await board.authenticate(credential);
    for (const queue of ['a', 'a', 'b']) await board.push('worker', { queue, title: 't', maxAttempts: 1 }, scope);
    const claimed = await consumer.claimNext({ queues: ['a'] });
    clock.jumpWall(90_000);
    const before = store.meter.snapshot().statements;
    expect(await scrape()).toMatchObject({
      'switchboard_queue_todos{queue="a",state="pending"}': '1',
      'switchboard_queue_todos{queue="a",state="claimed"}': '1',
      'switchboard_queue_todos{queue="a",state="parked"}': '0',
      'switchboard_queue_todos{queue="a",state="dead"}': '0',
      'switchboard_queue_todos{queue="b",state="pending"}': '1',
      'switchboard_queue_oldest_pending_seconds{queue="a"}': '90',
      switchboard_stalled_pairs_exhausted: '0',
      'switchboard_notify_hook_wakes_total{outcome="delivered"}': '0',
      'switchboard_notify_hook_wakes_total{outcome="suppressed"}': '3',
      'switchboard_notify_hook_attempts_total{result="2xx"}': '0',
    });
    expect(store.meter.snapshot().statements - before).toBe(2);

    await consumer.fail(claimed?.id ?? '');
    const b = await consumer.claimNext({ queues: ['b'] });
    await consumer.complete(b?.id ?? '');
    const later = await scrape();
    expect(later).toMatchObject({
      'switchboard_queue_todos{queue="a",state="claimed"}': '0',
      'switchboard_queue_todos{queue="a",state="dead"}': '1',
    });
    expect(Object.keys(later).filter((line) => line.includes('queue="b"'))).toEqual([]);
    await close();
  });
});

describe('the metrics of a board that answers what a test says', () => {
  const count = (queue: string, oldestPendingMs: number | null = null): TodoCount => ({
    queue,
    pending: 1,
    claimed: 2,
    parked: 3,
    dead: 4,
    oldestPendingMs,
  });

  function scripted(board: Partial<IBoard>, stalls: Partial<IStall> = {}) {
    const kernel = new Kernel();
    kernel.bind(BOARD, board as IBoard);
    kernel.bind(STALL, { counts: () => [], exhaustedPairs: async () => 0, ...stalls } as IStall);
    const registry = new Registry();
    registerBoardMetrics(registry, kernel);
    return () => scrapeOf(registry);
  }

  it(`show ${QUEUES_SHOWN_MAX} queues, and count the others together`, async () => {
    const queues = Array.from({ length: QUEUES_SHOWN_MAX + 3 }, (_, at) => `q${String(at).padStart(4, '0')}`);
    const lines = await scripted({ counts: async () => queues.map((queue, at) => count(queue, at * 1_000)) })();
    const series = Object.keys(lines).filter((line) => line.startsWith('switchboard_queue_todos{'));
    expect(series).toHaveLength((QUEUES_SHOWN_MAX + 1) * 4);
    expect(lines).toMatchObject({
      [`switchboard_queue_todos{queue="${OTHER_QUEUES}",state="dead"}`]: '12',
      [`switchboard_queue_oldest_pending_seconds{queue="${OTHER_QUEUES}"}`]: String(QUEUES_SHOWN_MAX + 2),
    });
    // Control: as many as are shown need no such line.
    const fits = await scripted({ counts: async () => queues.slice(3).map((queue) => count(queue)) })();
    expect(Object.keys(fits).filter((line) => line.includes(OTHER_QUEUES))).toEqual([]);
  });

  it('count nudges by queue and outcome, and never let a counter fall when more queues come', async () => {
    const nudged = (queue: string) => ({ queue, charged: 3, delivered: 2, suppressed: 1, exhausted: 1 });
    let counts = [nudged('z')];
    const scrape = scripted({ counts: async () => [] }, { counts: () => counts, exhaustedPairs: async () => 7 });
    const line = 'switchboard_queue_stall_nudges_total{queue="z",outcome="charged"}';
    expect(await scrape()).toMatchObject({ [line]: '3', switchboard_stalled_pairs_exhausted: '7' });
    counts = [...Array.from({ length: QUEUES_SHOWN_MAX }, (_, at) => nudged(`a${at}`)), nudged('z')];
    expect(await scrape()).toMatchObject({
      [line]: '3',
      [`switchboard_queue_stall_nudges_total{queue="${OTHER_QUEUES}",outcome="suppressed"}`]: '1',
    });
  });

  it('take no other metric along when the database cannot be asked', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const lines = await scripted(
      { counts: gone },
      { exhaustedPairs: gone, counts: () => [{ queue: 'a', charged: 1, delivered: 0, suppressed: 0, exhausted: 0 }] },
    )();
    expect(lines.switchboard_stalled_pairs_exhausted).toBe('Nan');
    expect(lines['switchboard_queue_stall_nudges_total{queue="a",outcome="charged"}']).toBe('1');
    expect(Object.keys(lines).filter((line) => line.startsWith('switchboard_queue_todos{'))).toEqual([]);
  });
});

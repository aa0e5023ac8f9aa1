import type { ScheduleTiming } from '@bellhop/contracts';
import { startChild } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { NODE_STORES, twoNodes } from './two-nodes.fixture.js';

// Faults that other schedulers have had, each by what its users saw.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe.each(NODE_STORES)('on %s', (name) => {
  let nodes: Awaited<ReturnType<typeof twoNodes>>;
  beforeEach(async () => {
    nodes = await twoNodes(name);
  });
  afterEach(() => nodes.end());

  test.each([
    ['a cron expression', () => ({ cron: '* * * * *' })],
    ['an interval', () => ({ everyMs: MINUTE_MS })],
    ['a moment', (now: number) => ({ once: now + MINUTE_MS })],
  ] as [string, (now: number) => ScheduleTiming][])(
    'two nodes, at once and some milliseconds apart, run a fire of %s once',
    async (_kind, timing) => {
      const { one, two, clock } = nodes;
      const [first, second] = [recordingHandler(), recordingHandler()];
      one.service.subscribe('report', first.handler);
      two.service.subscribe('report', second.handler);
      await one.service.schedule('s', { timing: timing(clock.now()), queue: 'report' });
      const ran = () => first.seen.length + second.seen.length;
      await clock.advance(MINUTE_MS);
      await Promise.all([one.worker.tick(), two.worker.tick()]);
      expect(ran()).toBe(1);
      await clock.advance(7);
      await two.worker.tick();
      await one.worker.tick();
      expect(ran()).toBe(1);
      expect(await one.service.scheduleRuns('s')).toMatchObject([{ outcome: 'published' }]);
    },
  );

  test('fires that two nodes count at once are each counted: no write goes by what was read before', async () => {
    const { one, two, clock } = nodes;
    for (const { service } of [one, two]) service.subscribe('report', () => {});
    const start = clock.now();
    await one.service.schedule('s', { timing: { everyMs: MINUTE_MS }, queue: 'report' });
    for (let n = 0; n < 5; n += 1) {
      await clock.advance(MINUTE_MS);
      await Promise.all([one.worker.tick(), two.worker.tick()]);
    }
    expect((await one.service.scheduleRuns('s')).map(({ fireAt }) => (fireAt - start) / MINUTE_MS)).toEqual([5, 4, 3, 2, 1]);
    expect(await one.service.listSchedules()).toMatchObject([{ lastFireAt: start + 5 * MINUTE_MS, nextFireAt: start + 6 * MINUTE_MS }]);
  });
});

test('a moment more than 24.8 days ahead does not fire at once, but when it has come', async () => {
  const { service, worker, clock } = queueBench({ maxIdleIntervalMs: DAY_MS });
  const { handler, seen } = recordingHandler();
  service.subscribe('report', handler);
  worker.start();
  await service.schedule('s', { timing: { once: clock.now() + 40 * DAY_MS }, queue: 'report' });
  await clock.advance(40 * DAY_MS - 1);
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect(seen).toHaveLength(1);
  await worker.stop();
});

test('a moment in the past is not forgotten: it fires', async () => {
  const { service, worker, clock } = queueBench();
  const { handler, seen } = recordingHandler();
  service.subscribe('report', handler);
  worker.start();
  await clock.advance(0);
  await service.schedule('s', { timing: { once: clock.now() - DAY_MS }, queue: 'report' });
  await clock.advance(20);
  expect(seen).toHaveLength(1);
  await worker.stop();
});

test('a run that takes longer than its interval need not be joined by the next (control: where it may, it is)', async () => {
  const { service, worker, clock, stop } = queueBench();
  const { handler, runs } = heldHandler();
  service.subscribe('alone', handler);
  service.subscribe('beside', handler);
  for (const [queue, overlap] of [
    ['alone', 'skip'],
    ['beside', 'allow'],
  ] as const) {
    await service.schedule(queue, { timing: { everyMs: MINUTE_MS }, queue, overlap });
  }
  worker.start();
  await clock.advance(3 * MINUTE_MS);
  const ran = (queue: string) => runs.filter(({ message }) => message.queue === queue).length;
  expect([ran('alone'), ran('beside')]).toEqual([1, 3]);
  await stop();
});

test('fires missed while no process ran are not lost in silence: one is made good, and the history tells of the others', async () => {
  const { service, worker, clock } = queueBench();
  const { handler, seen } = recordingHandler();
  service.subscribe('report', handler);
  await service.schedule('s', { timing: { everyMs: MINUTE_MS }, queue: 'report' });
  await clock.advance(60 * MINUTE_MS);
  worker.start();
  await clock.advance(0);
  expect(seen).toHaveLength(1);
  expect(await service.scheduleRuns('s')).toMatchObject([{ outcome: 'published', reason: expect.stringContaining('the fire times from') }]);
  await worker.stop();
});

test('a long run keeps its lease: no other node begins the same fire', async () => {
  const one = queueBench();
  const two = queueBench({ clock: one.clock, memory: one.memory, memorySchedules: one.memorySchedules, seed: 2 });
  const [first, second] = [heldHandler(), heldHandler()];
  one.service.subscribe('report', first.handler);
  await one.service.schedule('s', { timing: { once: one.clock.now() }, queue: 'report' });
  one.worker.start();
  await one.clock.advance(0);
  two.service.subscribe('report', second.handler);
  two.worker.start();
  await one.clock.advance(30 * MINUTE_MS);
  expect([first.runs.length, second.runs.length]).toEqual([1, 0]);
  first.runs[0]?.end();
  await one.stop();
  await two.stop();
});

test('a schedule does not keep its process alive', async () => {
  const child = startChild(new URL('./idle-process.fixture.ts', import.meta.url));
  await child.line(/scheduled/);
  expect(await child.exited).toEqual({ code: 0, signal: null });
});

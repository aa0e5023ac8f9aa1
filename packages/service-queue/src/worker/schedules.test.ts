import type { ScheduleFire, ScheduleFireOutcome, ScheduleSpec } from '@bellhop/contracts';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { type BenchOptions, heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';
import { MemoryScheduleStore } from '../stores/memory-schedule-store.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A worker that has been idle so long that its next tick is 30 s away: what it does sooner, it does for a fire time. */
async function idleWorker(options: BenchOptions = {}) {
  const bench = queueBench(options);
  const { handler, seen } = recordingHandler();
  bench.service.subscribe('report', handler);
  bench.worker.start();
  await bench.clock.advance(302 * SECOND_MS);
  const start = bench.clock.now();
  const every = (everyMs: number, more: Partial<ScheduleSpec> = {}): ScheduleSpec => ({ timing: { everyMs }, queue: 'report', ...more });
  return {
    ...bench,
    start,
    every,
    /** Fire times of the jobs that ran, since the start. */
    fired: () => seen.map(({ metadata }) => (metadata?.fireAt as number) - start),
    /** The history, the earliest first: `time since the start: outcome`. */
    history: async (name: string) =>
      (await bench.service.scheduleRuns(name, 200)).map(({ fireAt, outcome }) => `${fireAt - start}: ${outcome}`).reverse(),
  };
}

describe('a schedule', () => {
  test('fires at its time and not before, with no other traffic', async () => {
    const { service, worker, clock, every, fired } = await idleWorker();
    await service.schedule('often', every(7 * SECOND_MS));
    const { ticks } = worker.counters();
    await clock.advance(6_999);
    expect([fired(), worker.counters().ticks]).toEqual([[], ticks]);
    await clock.advance(1);
    expect(fired()).toEqual([7_000]);
    await clock.advance(14_000);
    expect(fired()).toEqual([7_000, 14_000, 21_000]);
    expect(worker.counters().lateness?.maxMs).toBe(0);
    await worker.stop();
  });

  test.each(['allow', 'skip', 'queue'] as const)('does not hide another’s fire time from the worker, with overlap %s', async (overlap) => {
    // The schedules come from elsewhere, so the survey alone tells of them, and it names one fire time.
    const { service, worker, clock, every, fired, start, memorySchedules, memory } = await idleWorker();
    const other = queueBench({ clock, memory, memorySchedules });
    await service.pause('held');
    await other.service.schedule('first', { ...every(30 * SECOND_MS), queue: 'held', overlap });
    await other.service.schedule('second', { timing: { once: start + 61 * SECOND_MS }, queue: 'report' });
    await clock.advance(61 * SECOND_MS);
    expect(fired()).toEqual([61_000]);
    await worker.stop();
  });

  test('that another process holds is looked at once an interval, not without a pause', async () => {
    class Held extends MemoryScheduleStore {
      override async fire(fires: readonly ScheduleFire[]): Promise<ScheduleFireOutcome[]> {
        return fires.map(() => 'lost');
      }
    }
    const clock = new ManualClock();
    const memory = new MemoryJobStore({ clock, afterCommit: () => {} });
    const { service, worker, calls } = queueBench({ clock, memory, memorySchedules: new Held({ clock, jobs: memory }) });
    worker.start();
    await service.schedule('held', { timing: { once: clock.now() + MINUTE_MS }, queue: 'report' });
    await clock.advance(MINUTE_MS);
    const before = calls().fire as number;
    await clock.advance(10 * SECOND_MS);
    expect([before, (calls().fire as number) - before]).toEqual([1, 20]);
    await worker.stop();
  });

  test('costs a tick nothing until it is due: one read per idle interval, then one read and one transaction for all', async () => {
    const { service, worker, clock, calls } = queueBench({ maxIdleIntervalMs: 0 });
    service.subscribe('report', () => {});
    for (let n = 0; n < 50; n += 1) await service.schedule(`s${n}`, { timing: { everyMs: HOUR_MS }, queue: 'report' });
    worker.start();
    await clock.advance(10 * SECOND_MS);
    expect(calls()).toEqual({ survey: 21 });
    await clock.advance(HOUR_MS - 10 * SECOND_MS - 1);
    const { survey, ...rest } = calls();
    expect([survey, rest]).toEqual([7_200, {}]);
    await clock.advance(100);
    expect(calls()).toMatchObject({ due: 1, fire: 1 });
    expect((await service.stats('report'))[0]).toMatchObject({ completed: 50 });
    await worker.stop();
  });

  test('fires with as many as there are, a hundred in a transaction', async () => {
    const { service, worker, clock, calls } = queueBench();
    for (let n = 0; n < 250; n += 1) await service.schedule(`s${n}`, { timing: { once: clock.now() + HOUR_MS }, queue: 'report' });
    worker.start();
    await clock.advance(HOUR_MS);
    expect(await service.getQueueSize('report')).toBe(250);
    expect(calls()).toMatchObject({ due: 3, fire: 3 });
    await worker.stop();
  });

  test.each([1, 100])('costs one statement per idle interval beside the %i queues of the process', async (count) => {
    const { service, worker, clock, calls } = queueBench({ maxIdleIntervalMs: 0 });
    for (let n = 0; n < count; n += 1) {
      service.subscribe(`queue-${n}`, () => {});
      await service.schedule(`s${n}`, { timing: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' }, queue: `queue-${n}` });
    }
    worker.start();
    await clock.advance(10 * SECOND_MS);
    expect(calls()).toEqual({ survey: 21 });
    await worker.stop();
  });

  test('is fired by a process that subscribes nothing (control: not by one that does not work)', async () => {
    const { service, worker, clock } = queueBench();
    await service.schedule('daily', { timing: { everyMs: HOUR_MS }, queue: 'report', data: 1 });
    await clock.advance(2 * HOUR_MS);
    expect(await service.scheduleRuns('daily')).toEqual([]);
    worker.start();
    await clock.advance(0);
    expect(await service.scheduleRuns('daily')).toMatchObject([{ outcome: 'published' }]);
    expect(await service.getQueueSize('report')).toBe(1);
    await worker.stop();
  });

  test('that nobody handles leaves its jobs to whoever comes', async () => {
    const { service, worker, clock, every, fired } = await idleWorker();
    await service.unsubscribe('report');
    await service.schedule('often', every(MINUTE_MS));
    await clock.advance(3 * MINUTE_MS);
    expect([fired(), await service.getQueueSize('report')]).toEqual([[], 3]);
    const { handler, seen } = recordingHandler();
    service.subscribe('report', handler);
    await clock.advance(10);
    expect(seen).toHaveLength(3);
    await worker.stop();
  });

  test('once, 60 days ahead, fires then and not before, though no timer waits so long', async () => {
    const { service, worker, clock, every, fired } = await idleWorker({ intervalMs: 365 * DAY_MS, maxIdleIntervalMs: 0 });
    await service.schedule('far', { ...every(0), timing: { once: clock.now() + 60 * DAY_MS } });
    const { ticks } = worker.counters();
    await clock.advance(60 * DAY_MS - 1);
    expect([fired(), worker.counters().ticks]).toEqual([[], ticks]);
    await clock.advance(1);
    expect(fired()).toEqual([60 * DAY_MS]);
    expect(await service.listSchedules()).toMatchObject([{ name: 'far', nextFireAt: null }]);
    await clock.advance(60 * DAY_MS);
    expect(fired()).toEqual([60 * DAY_MS]);
    await worker.stop();
  });

  test('that waited for the job before fires when that ends', async () => {
    const { service, worker, clock, every, history } = await idleWorker();
    const { handler, runs } = heldHandler();
    service.subscribe('slow', handler);
    await service.schedule('slow', every(10 * SECOND_MS, { queue: 'slow', overlap: 'queue' }));
    await clock.advance(25 * SECOND_MS);
    expect(await history('slow')).toEqual(['10000: published', '20000: waiting']);
    runs[0]?.end();
    await clock.advance(0);
    expect(await history('slow')).toEqual(['10000: published', '20000: published']);
    expect(runs.map(({ message }) => message.metadata?.fireAt)).toHaveLength(2);
    for (const { end } of runs) end();
    await worker.stop();
  });

  test('is one run for each fire time of two workers on one store (control: both looked)', async () => {
    const clock = new ManualClock();
    const one = queueBench({ clock });
    const two = queueBench({ clock, memory: one.memory, memorySchedules: one.memorySchedules });
    const ran: unknown[] = [];
    for (const { service, worker } of [one, two]) {
      service.subscribe('report', ({ metadata }) => void ran.push(metadata?.fireAt));
      worker.start();
    }
    // Both read what is due before either fires.
    for (const { scheduleFaults } of [one, two]) scheduleFaults.fail({ method: 'fire', kind: 'hang', times: Number.POSITIVE_INFINITY });
    await one.service.schedule('often', { timing: { everyMs: MINUTE_MS }, queue: 'report' });
    await clock.advance(0);
    await two.worker.settled();
    two.worker.due(clock.now() + MINUTE_MS);
    await clock.advance(MINUTE_MS);
    expect([one, two].map(({ scheduleFaults }) => scheduleFaults.calls('fire'))).toEqual([1, 1]);
    for (const { scheduleFaults } of [one, two]) scheduleFaults.releaseHung();
    await clock.advance(0);
    expect(ran).toHaveLength(1);
    await clock.advance(9 * MINUTE_MS);
    expect(ran).toHaveLength(10);
    expect(new Set(ran).size).toBe(10);
    await one.worker.stop();
    await two.worker.stop();
  });
});

describe('a store that fails at a fire', () => {
  test.each(['due', 'fire'] as const)('at %s: nothing is lost, and the fire is made good within 5 s of the recovery', async (method) => {
    const { service, worker, clock, every, fired, scheduleFaults } = await idleWorker();
    await service.schedule('often', every(MINUTE_MS));
    let down = true;
    scheduleFaults.fail({ method, kind: 'throw', times: Number.POSITIVE_INFINITY, when: () => down });
    await clock.advance(MINUTE_MS + 20 * SECOND_MS);
    expect(fired()).toEqual([]);
    expect(worker.health()).toMatchObject({ reason: expect.stringContaining(`${method} fails`) });
    down = false;
    await clock.advance(5 * SECOND_MS);
    expect(fired()).toEqual([MINUTE_MS]);
    await clock.advance(35 * SECOND_MS);
    expect(fired()).toEqual([MINUTE_MS, 2 * MINUTE_MS]);
    expect(worker.health()).toMatchObject({ status: 'ok' });
    await worker.stop();
  });

  test('after it: the answer is lost, and the fire is not made again', async () => {
    const { service, worker, clock, every, fired, history, scheduleFaults } = await idleWorker();
    await service.schedule('often', every(MINUTE_MS));
    scheduleFaults.fail({ method: 'fire', kind: 'throwAfter' });
    await clock.advance(2 * MINUTE_MS);
    expect(fired()).toEqual([MINUTE_MS, 2 * MINUTE_MS]);
    expect(await history('often')).toEqual(['60000: published', '120000: published']);
    await worker.stop();
  });

  test('does not keep jobs from running', async () => {
    const { service, worker, clock, every, scheduleFaults } = await idleWorker();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    await service.schedule('often', every(MINUTE_MS));
    scheduleFaults.fail({ method: 'due', kind: 'throw', times: Number.POSITIVE_INFINITY });
    await service.publish('mail', 'due as it fires', { delayMs: MINUTE_MS });
    await clock.advance(MINUTE_MS);
    expect(data()).toEqual(['due as it fires']);
    await worker.stop();
  });
});

describe('a clock that jumps', () => {
  test('forward: what was passed over goes by the misfire policy, within one idle interval', async () => {
    const { service, worker, clock, every, history } = await idleWorker();
    await service.schedule('one', every(MINUTE_MS));
    await service.schedule('none', every(MINUTE_MS, { misfire: 'skip' }));
    await service.schedule('each', every(MINUTE_MS, { misfire: { all: 3 } }));
    clock.jumpWall(10 * MINUTE_MS);
    await clock.advance(30 * SECOND_MS);
    expect(await history('one')).toEqual(['600000: published']);
    expect(await history('none')).toEqual(['600000: skipped']);
    expect(await history('each')).toEqual(['60000: skipped', '480000: published', '540000: published', '600000: published']);
    await worker.stop();
  });

  test('back: no fire time runs twice, and the next one when the clock shows it', async () => {
    const { service, worker, clock, every, fired } = await idleWorker();
    await service.schedule('often', every(MINUTE_MS));
    await clock.advance(2 * MINUTE_MS);
    clock.jumpWall(-2 * MINUTE_MS);
    await clock.advance(3 * MINUTE_MS - 1);
    expect(fired()).toEqual([MINUTE_MS, 2 * MINUTE_MS]);
    await clock.advance(1);
    expect(fired()).toEqual([MINUTE_MS, 2 * MINUTE_MS, 3 * MINUTE_MS]);
    await worker.stop();
  });

  test('with a machine that slept: what it slept through goes by the misfire policy', async () => {
    const { service, worker, clock, every, fired } = await idleWorker();
    await service.schedule('often', every(MINUTE_MS));
    await clock.sleep(HOUR_MS);
    await clock.advance(30 * SECOND_MS);
    expect(fired()).toEqual([HOUR_MS]);
    await worker.stop();
  });
});

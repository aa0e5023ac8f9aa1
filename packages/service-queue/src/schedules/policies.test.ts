import type { ScheduleSpec } from '@bellhop/contracts';
import { describe, expect, it, test } from 'vitest';
import { PermanentError } from '../permanent-error.js';
import { heldHandler, queueBench } from '../queue-bench.fixture.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A service whose worker is stopped, with one schedule that fires each minute from here on. */
async function bench(more: Partial<ScheduleSpec> = {}) {
  const made = queueBench();
  const { service, clock } = made;
  const start = clock.now();
  await service.schedule('s', { timing: { everyMs: MINUTE_MS }, queue: 'report', ...more });
  const runs = async () => (await service.scheduleRuns('s', 200)).reverse();
  return {
    ...made,
    start,
    runs,
    /** `minutes since the start: outcome`, the earliest first. */
    history: async () => (await runs()).map(({ fireAt, outcome }) => `${(fireAt - start) / MINUTE_MS}: ${outcome}`),
    size: () => service.getQueueSize('report'),
    next: async () => {
      const [schedule] = await service.listSchedules();
      return schedule?.nextFireAt == null ? null : (schedule.nextFireAt - start) / MINUTE_MS;
    },
  };
}

const minutes = (from: number, to: number, outcome: string) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}: ${outcome}`);

describe('fire times that passed while nobody was there for an hour', () => {
  test.each<[string, Partial<ScheduleSpec>, string[], number]>([
    ['by default are one run, at the latest', {}, ['60: published'], 1],
    ["with 'once' are one run, at the latest", { misfire: 'once' }, ['60: published'], 1],
    ["with 'skip' are none", { misfire: 'skip' }, ['60: skipped'], 0],
    [
      'with { all: 5 } are the last five, in their order',
      { misfire: { all: 5 } },
      ['1: skipped', '56: published', '57: published', '58: published', '59: published', '60: published'],
      5,
    ],
    ['with { all: 60 } are each', { misfire: { all: 60 } }, minutes(1, 60, 'published'), 60],
    ['with { all: 1000 } are each', { misfire: { all: 1_000 } }, minutes(1, 60, 'published'), 60],
  ])('%s', async (_, more, expected, jobs) => {
    const { clock, worker, history, size, next } = await bench(more);
    clock.jumpWall(HOUR_MS + 30_000);
    worker.start();
    await clock.advance(0);
    expect(await history()).toEqual(expected);
    expect([await size(), await next()]).toEqual([jobs, 61]);
    // And from there on each at its time.
    await clock.advance(MINUTE_MS);
    expect(await history()).toEqual([...expected, '61: published']);
    await worker.stop();
  });

  test('with a cap above what one transaction takes are each, in several', async () => {
    const { clock, worker, history, scheduleFaults, size } = await bench({ misfire: { all: 1_000 } });
    clock.jumpWall(5 * HOUR_MS);
    worker.start();
    await clock.advance(0);
    expect(await history()).toEqual(minutes(101, 300, 'published'));
    expect([await size(), scheduleFaults.calls('fire')]).toEqual([300, 3]);
    await worker.stop();
  });

  test.each(['skip', 'once'] as const)('say with %s in their run which they were', async (misfire) => {
    const { clock, worker, runs, start } = await bench({ misfire });
    clock.jumpWall(HOUR_MS);
    worker.start();
    await clock.advance(0);
    const [from, to] = [start + MINUTE_MS, start + HOUR_MS].map((time) => new Date(time).toISOString());
    expect((await runs())[0]?.reason).toContain(`the fire times from ${from} to ${to}`);
    await worker.stop();
  });

  test.each(['skip', 'once', { all: 1 }] as const)('run all the same with %j when they are a minute late or less', async (misfire) => {
    const { clock, worker, history } = await bench({ misfire });
    clock.jumpWall(2 * MINUTE_MS);
    worker.start();
    await clock.advance(0);
    expect(await history()).toEqual(['1: published', '2: published']);
    await worker.stop();
  });

  test.each([
    ['skip', ['-10: skipped']],
    ['once', ['-10: published']],
    [{ all: 3 }, ['-10: published']],
  ] as const)('a moment in the past goes by the policy %j', async (misfire, expected) => {
    const { service, clock, worker, history, start, next } = await bench();
    await service.schedule('s', { timing: { once: start - 10 * MINUTE_MS }, queue: 'report', misfire });
    worker.start();
    await clock.advance(0);
    expect([await history(), await next()]).toEqual([expected, null]);
    await clock.advance(HOUR_MS);
    expect(await history()).toEqual(expected);
    await worker.stop();
  });
});

describe('a fire time that comes while the job before is not finished', () => {
  async function busy(more: Partial<ScheduleSpec>) {
    const made = await bench(more);
    const { handler, runs } = heldHandler();
    made.service.subscribe('report', handler);
    made.worker.start();
    await made.clock.advance(MINUTE_MS);
    expect(runs).toHaveLength(1);
    await made.clock.advance(2 * MINUTE_MS);
    return { ...made, held: runs };
  }

  it("with 'allow' runs beside it", async () => {
    const { history, held, stop } = await busy({ overlap: 'allow' });
    expect(await history()).toEqual(minutes(1, 3, 'published'));
    expect(held).toHaveLength(3);
    await stop();
  });

  it("with 'skip' is left out, and says which job was in its way", async () => {
    const { clock, history, runs, held, stop } = await busy({ overlap: 'skip' });
    expect(await history()).toEqual(['1: published', '2: skipped', '3: skipped']);
    expect((await runs())[1]?.reason).toContain(held[0]?.message.id as string);
    held[0]?.end();
    await clock.advance(MINUTE_MS);
    expect((await history()).at(-1)).toBe('4: published');
    await stop();
  });

  it("with 'queue' waits its turn, and none of them is lost", async () => {
    const { clock, history, held, stop } = await busy({ overlap: 'queue' });
    expect(await history()).toEqual(['1: published', '2: waiting', '3: waiting']);
    held[0]?.end();
    await clock.advance(10);
    expect([await history(), held.length]).toEqual([['1: published', '2: published', '3: waiting'], 2]);
    // A job that dies ends, too; one that is tried again does not.
    held[1]?.fail(new Error('try again'));
    await clock.advance(10);
    expect((await history()).at(-1)).toBe('3: waiting');
    await clock.advance(2_000);
    expect(held).toHaveLength(3);
    held[2]?.fail(new PermanentError('no'));
    await clock.advance(10);
    expect(await history()).toEqual(minutes(1, 3, 'published'));
    expect(held.map(({ message }) => message.attempt)).toEqual([1, 1, 2, 1]);
    await stop();
  });

  it("with 'queue' has at most 100 waiting, and leaves out the rest", async () => {
    const { clock, history, stop } = await busy({ overlap: 'queue' });
    await clock.advance(100 * MINUTE_MS);
    expect(await history()).toEqual(['1: published', ...minutes(2, 101, 'waiting'), ...minutes(102, 103, 'skipped')]);
    await stop();
  });

  it("with 'skip' holds for jobs that nobody handles", async () => {
    const { clock, worker, history, size } = await bench({ overlap: 'skip' });
    worker.start();
    await clock.advance(3 * MINUTE_MS);
    expect([await history(), await size()]).toEqual([['1: published', '2: skipped', '3: skipped'], 1]);
    await worker.stop();
  });

  it("with 'skip' is not held up by what trigger published", async () => {
    const { service, clock, worker, history, size } = await bench({ overlap: 'skip' });
    await service.trigger('s');
    worker.start();
    await clock.advance(MINUTE_MS);
    expect([await history(), await size()]).toEqual([['1: published'], 2]);
    await worker.stop();
  });

  it('applies to each of those that a downtime left', async () => {
    const { clock, worker, history } = await bench({ overlap: 'queue', misfire: { all: 3 } });
    clock.jumpWall(HOUR_MS);
    worker.start();
    await clock.advance(0);
    expect(await history()).toEqual(['1: skipped', '58: published', '59: waiting', '60: waiting']);
    await worker.stop();
  });
});

import type { ScheduleSpec } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { QueueService } from '../queue-service.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURLY: ScheduleSpec = { timing: { everyMs: HOUR_MS }, queue: 'report', data: { kind: 'sales' } };

async function working(spec: ScheduleSpec = HOURLY) {
  const bench = queueBench();
  const { handler, seen } = recordingHandler();
  bench.service.subscribe('report', handler);
  bench.worker.start();
  const start = bench.clock.now();
  await bench.service.schedule('hourly', spec);
  const hours = (time: number | null | undefined) => (time == null ? null : (time - start) / HOUR_MS);
  return {
    ...bench,
    seen,
    start,
    fired: () => seen.map(({ metadata }) => hours(metadata?.fireAt as number)),
    next: async () => hours((await bench.service.listSchedules())[0]?.nextFireAt),
    preview: async (count?: number) => (await bench.service.previewSchedule('hourly', count)).map(hours),
  };
}

describe('a schedule that is made', () => {
  it('gives its jobs what it says, and what they are of', async () => {
    const { clock, worker, seen, start, job } = await working({
      ...HOURLY,
      organizationId: 'acme',
      priority: 7,
      maxAttempts: 9,
      timeoutMs: 5_000,
    });
    await clock.advance(HOUR_MS);
    expect(seen).toMatchObject([
      { organizationId: 'acme', data: { kind: 'sales' }, maxAttempts: 9, metadata: { schedule: 'hourly', fireAt: start + HOUR_MS } },
    ]);
    expect(await job(seen[0]?.id as string)).toMatchObject({ priority: 7, status: 'completed' });
    await worker.stop();
  });

  it('changes nothing when it is made again, and keeps its next fire time when its timing stays', async () => {
    const { service, clock, worker, next, fired, calls } = await working();
    await clock.advance(30 * MINUTE_MS);
    const [before] = await service.listSchedules();
    expect(await service.schedule('hourly', HOURLY)).toEqual(before);
    expect(await service.schedule('hourly', { ...HOURLY, data: 'another' })).toMatchObject({ nextFireAt: before?.nextFireAt });
    expect(await next()).toBe(1);
    await clock.advance(30 * MINUTE_MS);
    expect([fired(), calls().fire]).toEqual([[1], 1]);
    // Another timing counts from here.
    await service.schedule('hourly', { ...HOURLY, timing: { everyMs: 2 * HOUR_MS } });
    expect(await next()).toBe(3);
    await worker.stop();
  });

  it('beats from the moment that it names', async () => {
    const { service, clock, worker, preview, start } = await working();
    await service.schedule('hourly', { ...HOURLY, timing: { everyMs: HOUR_MS, startAt: start - 10 * MINUTE_MS } });
    expect(await preview(2)).toEqual([5 / 6, 11 / 6]);
    await service.schedule('hourly', { ...HOURLY, timing: { everyMs: HOUR_MS, startAt: start + 48 * HOUR_MS } });
    expect(await preview(2)).toEqual([48, 49]);
    await clock.advance(0);
    await worker.stop();
  });

  it('delays each job by its jitter at most, not its fire times', async () => {
    const { clock, worker, service, next } = await working({ ...HOURLY, jitterMs: MINUTE_MS });
    const due: number[] = [];
    for (let n = 1; n <= 20; n += 1) {
      await clock.advance(HOUR_MS - MINUTE_MS * (n === 1 ? 0 : 1));
      const [run] = await service.scheduleRuns('hourly', 1);
      const { dueAt } = (await service.get(run?.jobId as string)) as { readonly dueAt: number };
      due.push(dueAt - (run?.fireAt as number));
      expect(await next()).toBe(n + 1);
      await clock.advance(MINUTE_MS);
    }
    expect(due.every((delay) => delay >= 0 && delay <= MINUTE_MS)).toBe(true);
    expect(new Set(due).size).toBeGreaterThan(10);
    await worker.stop();
  });

  it('of two that make one name at once is one, whole', async () => {
    const { service, worker } = await working();
    await Promise.all(Array.from({ length: 10 }, (_, n) => service.schedule('contended', { ...HOURLY, queue: `q${n}`, data: n })));
    const made = (await service.listSchedules()).find(({ name }) => name === 'contended');
    expect(made?.spec.queue).toBe(`q${made?.spec.data}`);
    await worker.stop();
  });
});

describe('a schedule that is paused', () => {
  it('does not fire, and goes on by its misfire policy (control: another does fire)', async () => {
    const { service, clock, worker, fired, seen } = await working();
    await service.schedule('other', { ...HOURLY, queue: 'other' });
    await service.pauseSchedule('hourly');
    await clock.advance(5 * HOUR_MS);
    expect(fired()).toEqual([]);
    expect(await service.getQueueSize('other')).toBe(5);
    expect((await service.listSchedules())[0]).toMatchObject({ name: 'hourly', paused: true });
    await clock.advance(30 * MINUTE_MS);
    await service.resumeSchedule('hourly');
    await clock.advance(10);
    expect(fired()).toEqual([5]);
    await clock.advance(30 * MINUTE_MS);
    expect(fired()).toEqual([5, 6]);
    expect(seen).toHaveLength(2);
    await worker.stop();
  });

  it('fires at its time when it was resumed before', async () => {
    const { service, clock, worker, fired } = await working();
    await service.pauseSchedule('hourly');
    await clock.advance(59 * MINUTE_MS);
    await service.resumeSchedule('hourly');
    await clock.advance(MINUTE_MS);
    expect(fired()).toEqual([1]);
    await worker.stop();
  });

  it('stays paused when it is made again, is shown what is to come, and can be triggered', async () => {
    const { service, clock, worker, preview, seen } = await working();
    await service.pauseSchedule('hourly');
    await service.schedule('hourly', { ...HOURLY, data: 'another' });
    expect(await preview(2)).toEqual([1, 2]);
    await service.trigger('hourly');
    await clock.advance(10);
    expect(seen).toMatchObject([{ data: 'another', metadata: { schedule: 'hourly', triggered: true } }]);
    await clock.advance(HOUR_MS);
    expect(seen).toHaveLength(1);
    await worker.stop();
  });
});

describe('what is shown of a schedule', () => {
  it('are the fire times to come: five, or as many as are asked for', async () => {
    const { preview, clock, worker, service, start } = await working();
    expect(await preview()).toEqual([1, 2, 3, 4, 5]);
    expect(await preview(100)).toHaveLength(100);
    await clock.advance(90 * MINUTE_MS);
    expect(await preview(1)).toEqual([2]);
    await service.schedule('hourly', { ...HOURLY, timing: { once: start + 2 * HOUR_MS } });
    expect(await preview()).toEqual([2]);
    await clock.advance(HOUR_MS);
    expect(await preview()).toEqual([]);
    await worker.stop();
  });

  it('is its history, the latest first, also once it is gone', async () => {
    const { service, clock, worker, seen, start } = await working();
    await clock.advance(3 * HOUR_MS);
    const runs = await service.scheduleRuns('hourly');
    expect(runs.map(({ fireAt }) => (fireAt - start) / HOUR_MS)).toEqual([3, 2, 1]);
    expect(runs.map(({ jobId }) => jobId)).toEqual(seen.map(({ id }) => id).reverse());
    expect(runs[0]).toMatchObject({ name: 'hourly', outcome: 'published', reason: null, createdAt: start + 3 * HOUR_MS });
    expect(await service.scheduleRuns('hourly', 1)).toEqual(runs.slice(0, 1));
    expect(await service.unschedule('hourly')).toBe(true);
    expect(await service.unschedule('hourly')).toBe(false);
    expect(await service.scheduleRuns('hourly')).toEqual(runs);
    await clock.advance(3 * HOUR_MS);
    expect(await service.scheduleRuns('hourly')).toEqual(runs);
    await worker.stop();
  });

  it('are those of one organization, by name', async () => {
    const { service, worker } = await working();
    await service.schedule('b', { ...HOURLY, organizationId: 'acme' });
    await service.schedule('a', { ...HOURLY, organizationId: 'acme' });
    expect((await service.listSchedules({ organizationId: 'acme' })).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await service.listSchedules()).toHaveLength(3);
    await worker.stop();
  });
});

describe('a schedule that is not there', () => {
  it.each(['pauseSchedule', 'resumeSchedule', 'previewSchedule', 'trigger'] as const)('%s says so', async (method) => {
    const { service, worker } = await working();
    await expect(service[method]('weekly')).rejects.toThrow(BellhopError);
    await expect(service[method]('weekly')).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
    await worker.stop();
  });
});

it('a service without schedules says so', async () => {
  const { clock } = queueBench();
  const service = new QueueService({ clock });
  service.attach({ jobs: new MemoryJobStore({ clock, afterCommit: () => {} }) });
  await expect(service.schedule('hourly', HOURLY)).rejects.toMatchObject({ code: 'KERNEL_STATE' });
});

it('a schedule that cannot be read any more ends, says why, and holds up no other', async () => {
  const { service, clock, worker, memorySchedules, fired, logged } = await working();
  const spec = { ...HOURLY, timing: { cron: '0 * * * *', timeZone: 'Gone/Zone' } };
  await memorySchedules.save({ name: 'broken', organizationId: 'default', spec, nextFireAt: clock.now() + HOUR_MS }, null);
  await clock.advance(2 * HOUR_MS);
  expect(fired()).toEqual([1, 2]);
  expect(await service.scheduleRuns('broken')).toMatchObject([
    { outcome: 'skipped', reason: expect.stringContaining('no such time zone') },
  ]);
  expect((await service.listSchedules())[0]).toMatchObject({ name: 'broken', nextFireAt: null });
  expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
  await worker.stop();
});

it.each([{}, null])('a schedule whose row was damaged to %j is shown, ends, and is whole again once it is made again', async (damaged) => {
  const { service, clock, worker, memorySchedules, fired, next } = await working();
  const row = await memorySchedules.get('hourly');
  const spec = damaged as ScheduleSpec;
  await memorySchedules.save({ name: 'hourly', organizationId: 'default', spec, nextFireAt: clock.now() }, row?.revision ?? null);
  await clock.advance(2 * HOUR_MS);
  expect([fired(), await next()]).toEqual([[], null]);
  await service.schedule('hourly', HOURLY);
  await clock.advance(HOUR_MS);
  expect([fired(), await next()]).toEqual([[3], 4]);
  await worker.stop();
});

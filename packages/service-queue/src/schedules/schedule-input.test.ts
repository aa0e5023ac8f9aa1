import type { ScheduleSpec } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { queueBench } from '../queue-bench.fixture.js';

const SPEC: ScheduleSpec = { timing: { everyMs: 60_000 }, queue: 'report' };
const LONG = 'x'.repeat(256);

/** [the field, what is given, a part of the refusal] */
const REFUSED: readonly (readonly [path: string, spec: unknown, part: RegExp])[] = [
  ['spec', null, /spec/],
  ['spec.retries', { ...SPEC, retries: 3 }, /retries/],
  ['spec.timing', { queue: 'report' }, /timing/],
  ['spec.timing', { ...SPEC, timing: {} }, /one of cron, everyMs and once/],
  ['spec.timing.everyMs', { ...SPEC, timing: { cron: '0 3 * * *', everyMs: 60_000 } }, /given together with cron/],
  ['spec.timing.timeZone', { ...SPEC, timing: { everyMs: 60_000, timeZone: 'UTC' } }, /does not use it/],
  ['spec.timing.every', { ...SPEC, timing: { every: 60_000 } }, /every/],
  ['spec.timing.cron', { ...SPEC, timing: { cron: 'nonsense' } }, /five fields/],
  ['spec.timing.cron', { ...SPEC, timing: { cron: '99 3 * * *' } }, /99/],
  ['spec.timing.cron', { ...SPEC, timing: { cron: '0 0 30 2 *' } }, /never fires/],
  ['spec.timing.cron', { ...SPEC, timing: { cron: `${Array(501).fill('0').join(',')} * * * *` } }, /1009 characters given; at most 1000/],
  ['spec.timing.cron', { ...SPEC, timing: { cron: 5 } }, /string is needed/],
  ['spec.timing.cron', { ...SPEC, timing: { cron: '0 3 * * *\u0000' } }, /U\+0000/],
  ['spec.timing.timeZone', { ...SPEC, timing: { cron: '0 3 * * *', timeZone: 'Mars/Olympus' } }, /no such time zone/],
  ['spec.timing.timeZone', { ...SPEC, timing: { cron: '0 3 * * *', timeZone: '+02:00' } }, /IANA/],
  ['spec.timing.timeZone', { ...SPEC, timing: { cron: '0 3 * * *', timeZone: '' } }, /no such time zone/],
  ...[0, 999, -1, Number.NaN, Number.POSITIVE_INFINITY, 1_000.5, '60000', null, 31_536_000_001].map(
    (everyMs) => ['spec.timing.everyMs', { ...SPEC, timing: { everyMs } }, /everyMs/] as const,
  ),
  ...[Number.NaN, -1, 1.5, '2026-01-01', null].map((once) => ['spec.timing.once', { ...SPEC, timing: { once } }, /once/] as const),
  ['spec.timing.startAt', { ...SPEC, timing: { everyMs: 60_000, startAt: Number.NaN } }, /startAt/],
  ['spec.misfire', { ...SPEC, misfire: 'all' }, /skip/],
  ['spec.misfire', { ...SPEC, misfire: null }, /skip/],
  ...[0, 1_001, 1.5, Number.NaN, '5'].map((all) => ['spec.misfire.all', { ...SPEC, misfire: { all } }, /all/] as const),
  ['spec.overlap', { ...SPEC, overlap: 'wait' }, /'allow', 'skip', 'queue'/],
  ...[-1, 3_600_001, Number.NaN].map((jitterMs) => ['spec.jitterMs', { ...SPEC, jitterMs }, /jitterMs/] as const),
  ['spec.queue', { timing: SPEC.timing }, /queue/],
  ['spec.queue', { ...SPEC, queue: '' }, /empty/],
  ['spec.queue', { ...SPEC, queue: LONG }, /256 characters/],
  ['spec.queue', { ...SPEC, queue: 'a\u0000b' }, /U\+0000/],
  ['spec.organizationId', { ...SPEC, organizationId: 'a\u0000b' }, /U\+0000/],
  ['spec.organizationId', { ...SPEC, organizationId: null }, /string is needed/],
  ['spec.priority', { ...SPEC, priority: -1 }, /priority/],
  ['spec.maxAttempts', { ...SPEC, maxAttempts: 0 }, /maxAttempts/],
  ['spec.timeoutMs', { ...SPEC, timeoutMs: Number.NaN }, /timeoutMs/],
  ['spec.data', { ...SPEC, data: { text: 'a\u0000b' } }, /U\+0000/],
  ['spec.data', { ...SPEC, data: 1n }, /JSON/],
];

describe('schedule', () => {
  it.each(REFUSED.map(([path, spec, part]) => ({ path, spec, part })))('refuses $path of $spec', async ({ path, spec, part }) => {
    const { service } = queueBench();
    const refused = service.schedule('daily', spec as ScheduleSpec);
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT', path: expect.stringMatching(new RegExp(`^${path}`)) });
    await expect(refused).rejects.toThrow(part);
    expect(await service.listSchedules()).toEqual([]);
  });

  it('refuses data that no job could carry, and takes what one can', async () => {
    const { service } = queueBench();
    const refused = service.schedule('daily', { ...SPEC, data: 'x'.repeat(256 * 1_024) });
    await expect(refused).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', path: 'spec.data' });
    await expect(service.schedule('daily', { ...SPEC, data: 'x'.repeat(256 * 1_024 - 2) })).resolves.toMatchObject({ name: 'daily' });
  });

  it.each(['', LONG, 'a\u0000b', '\ud800', 5, null, undefined])('refuses the name %j, as every call that takes one', async (given) => {
    const { service } = queueBench();
    const name = given as string;
    const calls = [
      () => service.schedule(name, SPEC),
      () => service.unschedule(name),
      () => service.pauseSchedule(name),
      () => service.resumeSchedule(name),
      () => service.previewSchedule(name),
      () => service.scheduleRuns(name),
      () => service.trigger(name),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'name' });
  });

  it('takes names and queues of 255 characters, of any script', async () => {
    const { service } = queueBench();
    const name = '火'.repeat(255);
    await service.schedule(name, { ...SPEC, queue: name, organizationId: name });
    expect(await service.listSchedules({ organizationId: name })).toMatchObject([{ name }]);
  });

  it('refuses counts, limits and scopes that are out of bounds', async () => {
    const { service } = queueBench();
    await service.schedule('daily', SPEC);
    for (const count of [0, 101, 1.5, Number.NaN]) {
      await expect(service.previewSchedule('daily', count)).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'count' });
    }
    for (const limit of [0, 201, 1.5, Number.NaN]) {
      await expect(service.scheduleRuns('daily', limit)).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'limit' });
    }
    await expect(service.listSchedules({ organizationId: 'a\u0000b' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('fills in every default', async () => {
    const { service, clock } = queueBench();
    const { spec, ...schedule } = await service.schedule('daily', { timing: { cron: ' 0 3 * * * ' }, queue: 'report' });
    expect(spec).toEqual({
      timing: { cron: '0 3 * * *', timeZone: 'UTC' },
      queue: 'report',
      data: null,
      organizationId: 'default',
      misfire: 'once',
      overlap: 'allow',
      jitterMs: 0,
      priority: 100,
      maxAttempts: 3,
      timeoutMs: 3_600_000,
    });
    const now = clock.now();
    const nextFireAt = Date.UTC(2026, 0, 1, 3);
    expect(schedule).toEqual({
      name: 'daily',
      organizationId: 'default',
      paused: false,
      nextFireAt,
      lastFireAt: null,
      createdAt: now,
      updatedAt: now,
    });
  });
});

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineJob } from './define-job.js';
import { queueBench } from './queue-bench.fixture.js';

const welcome = defineJob({
  queue: 'mail',
  schema: z.object({ to: z.string().min(1), at: z.iso.datetime().transform((text) => new Date(text)), tries: z.number().default(1) }),
  priority: 5,
  maxAttempts: 7,
  groupConcurrency: 2,
  idempotencyWindowMs: 1_000,
});
const AT = '2026-03-01T12:00:00Z';

describe('defineJob', () => {
  test('stores data as they were given, and hands what the schema makes of them to the handler', async () => {
    const { service, worker, job } = queueBench();
    const seen: unknown[] = [];
    welcome.subscribe(service, ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<{ to: string; at: Date; tries: number }>();
      seen.push(data);
    });
    const { id } = await welcome.publish(service, { to: 'ada', at: AT });
    await worker.tick();
    expect(await job(id)).toMatchObject({ status: 'completed', data: { to: 'ada', at: AT } });
    expect(seen).toEqual([{ to: 'ada', at: new Date(AT), tries: 1 }]);
  });

  test('refuses data that do not fit, with the path of the value, and writes nothing', async () => {
    const { service, callCount } = queueBench();
    await expect(welcome.publish(service, { to: '', at: AT })).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'data.to' });
    await expect(welcome.publish(service, { to: 'ada' } as never)).rejects.toMatchObject({ path: 'data.at' });
    const many = welcome.publishMany(service, [{ data: { to: 'ada', at: AT } }, { data: { to: 'eve', at: 'soon' } }]);
    await expect(many).rejects.toMatchObject({ path: 'jobs[1].data.at' });
    expect(callCount()).toBe(0);
  });

  test('judges data by what JSON will make of them: what would fail at the claim fails at the publish', async () => {
    const dated = defineJob({ queue: 'dated', schema: z.object({ at: z.date() }) });
    await expect(dated.publish(queueBench().service, { at: new Date() })).rejects.toMatchObject({ path: 'data.at' });
  });

  test('data that do not fit when they are claimed make the job dead at once, with the reason', async () => {
    const { service, worker, job, publishSilently } = queueBench();
    let runs = 0;
    welcome.subscribe(service, () => {
      runs += 1;
    });
    const id = await publishSilently('mail', { to: 5, at: AT });
    await worker.tick();
    expect(runs).toBe(0);
    const dead = await job(id);
    expect(dead).toMatchObject({ status: 'dead', attempts: 1, maxAttempts: 3 });
    expect(dead.lastError).toMatch(/^The stored data does not fit the job's schema: data\.to: /);
  });

  test('in a batch, too, without holding up the rest of it', async () => {
    const { service, worker, job, publishSilently } = queueBench();
    const batches: string[][] = [];
    welcome.subscribe(service, (messages) => void batches.push(messages.map(({ data }) => data.to)), { batch: 10 });
    const ids = [];
    for (const to of ['ada', 5, 'eve']) ids.push(await publishSilently('mail', { to, at: AT }));
    await worker.tick();
    expect(batches).toEqual([['ada', 'eve']]);
    expect(await Promise.all(ids.map(async (id) => (await job(id)).status))).toEqual(['completed', 'dead', 'completed']);
  });

  test('a batch handler that throws fails what fitted, and only that', async () => {
    const { service, worker, job, publishSilently } = queueBench();
    welcome.subscribe(
      service,
      () => {
        throw new Error('no');
      },
      { batch: 10 },
    );
    const [good, bad] = [await publishSilently('mail', { to: 'ada', at: AT }), await publishSilently('mail', null)];
    worker.start();
    await worker.settled();
    expect(await job(good)).toMatchObject({ status: 'scheduled', lastError: 'no' });
    expect(await job(bad)).toMatchObject({ status: 'dead' });
    await worker.stop();
  });

  test('its defaults hold unless a publish says otherwise; those of keys and groups, where there is one', async () => {
    const { service, job } = queueBench();
    const data = { to: 'ada', at: AT };
    const plain = await welcome.publish(service, data);
    expect(await job(plain.id)).toMatchObject({ priority: 5, maxAttempts: 7, groupKey: null, idempotencyKey: null });
    const own = await welcome.publish(service, data, { priority: 9, groupKey: 'g', idempotencyKey: 'k' });
    expect(await job(own.id)).toMatchObject({ priority: 9, maxAttempts: 7, groupKey: 'g' });
    const unsaid = await welcome.publish(service, data, { priority: undefined } as never);
    expect(await job(unsaid.id)).toMatchObject({ priority: 5 });
  });

  test('a group runs no more at once than its definition says', async () => {
    const { service, worker, clock } = queueBench();
    let [running, most] = [0, 0];
    const ends: (() => void)[] = [];
    welcome.subscribe(service, async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    });
    const jobs = Array.from({ length: 5 }, () => ({ data: { to: 'ada', at: AT }, options: { groupKey: 'g' } }));
    await welcome.publishMany(service, jobs);
    worker.start();
    for (let round = 0; round < 5; round += 1) {
      await clock.advance(1_000);
      ends.shift()?.();
    }
    await clock.advance(1_000);
    expect(most).toBe(2);
    expect(worker.counters().completed).toBe(5);
    await worker.stop();
  });

  test('refuses a list that is none, and options that are none, as the service does', async () => {
    const { service, calls } = queueBench();
    const data = { to: 'ada', at: AT };
    await expect(welcome.publishMany(service, 5 as never)).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'jobs' });
    await expect(welcome.publishMany(service, [null] as never)).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'jobs[0]' });
    await expect(welcome.publish(service, data, null as never)).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'options' });
    await expect(welcome.publish(service, data, [] as never)).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'options' });
    expect(calls()).toEqual({});
  });

  test('refuses defaults that are not allowed, at once', () => {
    const schema = z.unknown();
    expect(() => defineJob({ queue: 'q', schema, priority: -1 })).toThrow(expect.objectContaining({ path: 'options.priority' }));
    expect(() => defineJob({ queue: '', schema })).toThrow(expect.objectContaining({ path: 'queue' }));
    expect(() => defineJob({ queue: 'q', schema, prioritty: 1 } as never)).toThrow(expect.objectContaining({ path: 'prioritty' }));
  });

  test('takes any Standard Schema, also one that answers later; one that throws says nothing of the data', async () => {
    const { service, worker, job } = queueBench();
    let broken = false;
    const schema: StandardSchemaV1<number, number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) => {
          if (broken) throw new Error('the schema has a fault');
          return typeof value === 'number'
            ? { value }
            : { issues: Array.from({ length: 7 }, (_, n) => ({ message: 'no', path: ['list', n, { key: 'x' }] })) };
        },
      },
    };
    const count = defineJob({ queue: 'count', schema });
    count.subscribe(service, () => {});
    await expect(count.publish(service, 'x' as never)).rejects.toMatchObject({
      path: 'data.list[0].x',
      message: expect.stringMatching(/^data\.list\[0\]\.x: no; .*; and 2 more\.$/),
    });
    const { id } = await count.publish(service, 5, { backoff: { delayMs: 60_000, jitter: 'none' } });
    broken = true;
    await worker.tick();
    expect(await job(id)).toMatchObject({ status: 'scheduled', attempts: 1, lastError: 'the schema has a fault' });
  });
});

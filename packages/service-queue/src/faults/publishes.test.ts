import type { PublishOptions } from '@bellhop/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';
import { NODE_STORES, twoNodes } from './two-nodes.fixture.js';

// Faults that other queues have had, each by what its users saw. Here: what is published, and what is done to it afterwards.

const DAY_MS = 86_400_000;

describe.each(NODE_STORES)('on %s', (name) => {
  let nodes: Awaited<ReturnType<typeof twoNodes>>;
  beforeEach(async () => {
    nodes = await twoNodes(name);
  });
  afterEach(() => nodes.end());

  test('two publishes of one key at the same moment make one job', async () => {
    const { one, two } = nodes;
    const publish = (service: typeof one.service) => service.publish('mail', 1, { idempotencyKey: 'order-7' });
    const results = await Promise.all([publish(one.service), publish(two.service), publish(one.service), publish(two.service)]);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(results.filter(({ deduped }) => !deduped)).toHaveLength(1);
    expect(await one.service.getQueueSize('mail')).toBe(1);
  });

  test('older jobs of a key, however many, do not hide the one that holds it', async () => {
    const { one, clock } = nodes;
    const publish = () => one.service.publish('mail', 1, { idempotencyKey: 'daily' });
    one.service.subscribe('mail', () => {});
    for (let day = 0; day < 7; day += 1) {
      expect(await publish()).toMatchObject({ deduped: false });
      expect(await one.worker.tick()).toBe(1);
      await clock.advance(DAY_MS);
    }
    const last = await publish();
    expect(last.deduped).toBe(false);
    expect(await one.worker.tick()).toBe(1);
    expect(await publish()).toEqual({ id: last.id, deduped: true });
  });

  test('jobs of one priority and one millisecond run in the order in which they were published', async () => {
    const { one } = nodes;
    const { handler, data } = recordingHandler();
    one.service.subscribe('mail', handler, { concurrency: 1 });
    for (let n = 0; n < 50; n += 1) await one.service.publish('mail', n);
    await one.worker.tick();
    expect(data()).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test('a job that waits can be cancelled and put off; one that ended cannot, and one that never was is unknown', async () => {
    const { one, clock } = nodes;
    const { handler, data } = recordingHandler();
    one.service.subscribe('mail', handler);
    const [gone, later, now] = await one.service.publishMany(
      'mail',
      ['gone', 'later', 'now'].map((each) => ({ data: each })),
    );
    expect(await one.service.cancel(gone?.id ?? '')).toBe(true);
    expect(await one.service.reschedule(later?.id ?? '', clock.now() + 60_000)).toBe(true);
    await one.worker.tick();
    expect(data()).toEqual(['now']);
    expect(await one.service.cancel(now?.id ?? '')).toBe(false);
    await clock.advance(60_000);
    await one.worker.tick();
    expect(data()).toEqual(['now', 'later']);
    await expect(one.service.cancel('nobody')).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    await expect(one.service.reschedule('nobody', 0)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  });

  test('dead jobs do not pile up unseen: they are counted, have an age, are listed with a total, and retention ends them', async () => {
    const { one, clock } = nodes;
    one.service.subscribe('mail', () => {
      throw new Error('no such address');
    });
    const published = await one.service.publishMany(
      'mail',
      [1, 2, 3].map((data) => ({ data, options: { maxAttempts: 1 } })),
    );
    await one.worker.tick();
    await clock.advance(5_000);
    expect(await one.service.stats('mail')).toMatchObject([{ dead: 3, oldestDeadMs: 5_000 }]);
    expect(await one.service.listFailed({ queue: 'mail', limit: 2 })).toMatchObject({
      total: 3,
      items: [{ lastError: 'no such address' }, { status: 'dead' }],
      nextCursor: expect.any(String),
    });
    expect(await one.memory.sweep({ completedBefore: 0, deadBefore: clock.now() - 5_001, limit: 100 })).toBe(0);
    expect(await one.memory.sweep({ completedBefore: 0, deadBefore: clock.now() + 1, limit: 100 })).toBe(3);
    expect(await one.service.get(published[0]?.id ?? '')).toBeNull();
  });

  test('a dead job is replayed and purged by its id; an unknown one is an error, and a queue without dead jobs gives none', async () => {
    const { one } = nodes;
    expect(await one.service.replayAll('mail')).toBe(0);
    for (const call of ['replay', 'purgeFailed'] as const) {
      await expect(one.service[call]('nobody')).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    }
    let failing = true;
    one.service.subscribe('mail', () => {
      if (failing) throw new Error('not yet');
    });
    const { id } = await one.service.publish('mail', 1, { maxAttempts: 1 });
    await expect(one.service.replay(id)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    await one.worker.tick();
    failing = false;
    expect(await one.service.replayAll('mail')).toBe(1);
    await one.worker.tick();
    expect(await one.job(id)).toMatchObject({ status: 'completed' });
  });
});

test('a publish joins the caller’s transaction: after a rollback there is no job, and nobody is woken', async () => {
  const { service, transaction, announced } = queueBench();
  const failed = transaction(async (trx) => {
    await service.publish('mail', 1, {}, { trx });
    throw new Error('changed my mind');
  });
  await expect(failed).rejects.toThrow('changed my mind');
  expect(await service.getQueueSize('mail')).toBe(0);
  expect(announced).toEqual([]);
  await transaction((trx) => service.publish('mail', 2, {}, { trx }));
  expect(await service.getQueueSize('mail')).toBe(1);
  expect(announced).toHaveLength(1);
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

test.each<[string, PublishOptions, unknown, string, string]>([
  ['an empty key', { idempotencyKey: '' }, 1, 'INVALID_INPUT', 'options.idempotencyKey'],
  ['a priority that is no number', { priority: Number.NaN }, 1, 'INVALID_INPUT', 'options.priority'],
  ['a negative delay', { delayMs: -1 }, 1, 'INVALID_INPUT', 'options.delayMs'],
  ['no attempts at all', { maxAttempts: -3 }, 1, 'INVALID_INPUT', 'options.maxAttempts'],
  ['a due time that is no time', { runAt: 'tomorrow' as never }, 1, 'INVALID_INPUT', 'options.runAt'],
  ['a payload of 1 MiB', {}, 'x'.repeat(1_048_576), 'PAYLOAD_TOO_LARGE', 'data'],
  ['a payload that holds itself', {}, cycle, 'INVALID_INPUT', 'data'],
  ['a payload with U+0000', {}, { name: 'a\0' }, 'INVALID_INPUT', 'data.name'],
])('a publish with %s is refused with a code and the path, and writes nothing', async (_title, options, data, code, path) => {
  const { service, calls } = queueBench();
  await expect(service.publish('mail', data, options)).rejects.toMatchObject({ code, path });
  await expect(service.publishMany('mail', [{ data: 1 }, { data, options }])).rejects.toMatchObject({ code, path: `jobs[1].${path}` });
  expect(calls()).toEqual({});
  await service.publish('mail', 1);
  expect(calls()).toEqual({ enqueue: 1 });
});

test('a payload that cannot be read runs no handler with undefined: its job is dead, and the others run', async () => {
  class Damaged extends MemoryJobStore {
    override async claim(options: Parameters<MemoryJobStore['claim']>[0]) {
      return (await super.claim(options)).map((claim) => (claim.data === 'damaged' ? { ...claim, data: undefined } : claim));
    }
  }
  const bench = queueBench();
  const { service, worker, job } = queueBench({ clock: bench.clock, memory: new Damaged({ clock: bench.clock }) });
  const { handler, data } = recordingHandler();
  service.subscribe('mail', handler);
  const [damaged] = await service.publishMany('mail', [{ data: 'damaged' }, { data: 'sound' }]);
  await worker.tick();
  expect(data()).toEqual(['sound']);
  expect(await job(damaged?.id ?? '')).toMatchObject({ status: 'dead', lastError: expect.stringContaining('no JSON') });
});

test('a job that runs tells how far it is, and hears when it is to end', async () => {
  const { service, worker, clock, job } = queueBench();
  let heard: unknown;
  service.subscribe('mail', async (_message, { progress, signal }) => {
    await progress(40);
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => {
        heard = signal.reason;
        resolve();
      }),
    );
  });
  const { id } = await service.publish('mail', 1, { timeoutMs: 1_000 });
  worker.start();
  await clock.advance(0);
  expect(await job(id)).toMatchObject({ status: 'running', progress: 40 });
  await clock.advance(1_000);
  expect(heard).toMatchObject({ message: 'The handler did not finish within 1000 ms.' });
  await worker.stop();
});

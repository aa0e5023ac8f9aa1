import { ManualClock, ManualTransactions } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { queueBench, recordingHandler } from './queue-bench.fixture.js';
import { QueueService } from './queue-service.js';
import { MemoryJobStore } from './stores/memory-job-store.js';

describe('a service whose store is not ready', () => {
  test('keeps calls and subscriptions, in their order, until it is', async () => {
    const bench = queueBench();
    const service = new QueueService({ clock: bench.clock });
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    const left = recordingHandler();
    await service.subscribe('mail', left.handler).unsubscribe();
    const early = Promise.all([
      service.publish('mail', 1),
      service.publishMany('mail', [{ data: 2 }, { data: 3 }]),
      service.pause('other'),
    ]);
    const size = service.getQueueSize('mail');
    service.attach({ jobs: bench.memory, worker: bench.worker });
    await early;
    expect(await size).toBe(3);
    await bench.worker.tick();
    expect(data()).toEqual([1, 2, 3]);
    expect(left.data()).toEqual([]);
    expect(await service.stats('other')).toMatchObject([{ paused: true }]);
  });

  test('refuses bad input at once, all the same', async () => {
    const service = new QueueService();
    await expect(service.publish('mail', 1, { priority: -1 })).rejects.toMatchObject({ path: 'options.priority' });
    expect(() => service.subscribe('mail', 'handler' as never)).toThrow(expect.objectContaining({ path: 'handler' }));
    expect(() => service.subscribe('mail', () => {}, { concurrency: 0 })).toThrow(expect.objectContaining({ path: 'options.concurrency' }));
    expect(() => service.subscribe('mail', () => {}, { leaseMs: 999 })).toThrow(expect.objectContaining({ path: 'options.leaseMs' }));
    expect(() => service.subscribe('mail', () => {}, { batch: 1_001 })).toThrow(expect.objectContaining({ path: 'options.batch' }));
    expect(() => service.subscribe('mail', () => {}, { organizationId: '' })).toThrow(
      expect.objectContaining({ path: 'options.organizationId' }),
    );
    expect(() => service.subscribe('', () => {})).toThrow(expect.objectContaining({ path: 'queue' }));
  });

  test('refuses what waits when there will be none, and nothing is left hanging', async () => {
    const service = new QueueService();
    const waiting = [service.publish('mail', 1), service.stats(), service.pause('mail'), service.replayAll('mail')];
    service.abandon();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'KERNEL_STATE' });
    await expect(service.publish('mail', 1)).rejects.toThrow('before its store was ready');
  });

  test('is given one once', () => {
    const service = new QueueService();
    const jobs = new MemoryJobStore({ clock: new ManualClock() });
    service.attach({ jobs });
    expect(() => service.attach({ jobs })).toThrow(expect.objectContaining({ code: 'KERNEL_STATE' }));
    // Control: to abandon it afterwards does nothing.
    service.abandon();
    return expect(service.getQueueSize('mail')).resolves.toBe(0);
  });
});

test('a transaction is refused by a service that cannot join one (control: without it the job is there)', async () => {
  const service = new QueueService();
  service.attach({ jobs: new MemoryJobStore({ clock: new ManualClock() }) });
  await new ManualTransactions().transaction((trx) =>
    expect(service.publish('mail', 1, {}, { trx })).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'trx' }),
  );
  expect(await service.getQueueSize('mail')).toBe(0);
  await service.publish('mail', 1);
  expect(await service.getQueueSize('mail')).toBe(1);
});

test('a listener that throws loses no job, and its publisher hears nothing of it', async () => {
  const clock = new ManualClock();
  const service = new QueueService({ clock });
  service.attach({
    jobs: new MemoryJobStore({ clock }),
    onAnnounced: () => {
      throw new Error('the listener has a fault');
    },
  });
  await expect(service.publish('mail', 1)).resolves.toMatchObject({ deduped: false });
  expect(await service.getQueueSize('mail')).toBe(1);
});

test('pause lets running jobs end, also those that end with a retry, and begins none', async () => {
  const { service, worker, clock, job } = queueBench();
  let attempts = 0;
  let fail = () => {};
  service.subscribe('mail', () => {
    attempts += 1;
    return new Promise((_, reject) => {
      fail = () => reject(new Error('again'));
    });
  });
  const { id } = await service.publish('mail', 1, { backoff: { delayMs: 0 } });
  worker.start();
  await clock.advance(0);
  await service.pause('mail');
  fail();
  await clock.advance(60_000);
  expect([attempts, (await job(id)).status]).toEqual([1, 'pending']);
  await service.resume('mail');
  await clock.advance(20);
  expect(attempts).toBe(2);
  const stopping = worker.stop({ deadlineMs: 0 });
  await clock.advance(1_000);
  await stopping;
});

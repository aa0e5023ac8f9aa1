import { describe, expect, test } from 'vitest';
import { heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';

describe('a worker', () => {
  test('runs a job as soon as it is published: claimed and acked in a statement each, with no survey', async () => {
    const { service, worker, calls, job, clock } = queueBench();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    worker.start();
    await worker.settled();
    const before = calls();
    const { id } = await service.publish('mail', { to: 'ada' });
    await worker.settled();
    expect(data()).toEqual([{ to: 'ada' }]);
    expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(calls()).toEqual({ ...before, enqueue: 1, claim: 1, ack: 1 });
    expect(clock.monotonic()).toBe(0);
    await worker.stop();
  });

  test.each([1, 100])('costs one statement per idle interval for %i queues', async (count) => {
    const { service, worker, calls, clock } = queueBench({ maxIdleIntervalMs: 0 });
    for (let n = 0; n < count; n += 1) service.subscribe(`queue-${n}`, () => {});
    worker.start();
    await clock.advance(10_000);
    expect(calls()).toEqual({ survey: 21 });
    await worker.stop();
  });

  test('claims for every queue with work in one statement, and acks each', async () => {
    const { worker, service, publishSilently, calls } = queueBench();
    const handlers = ['a', 'b', 'c'].map((queue) => {
      const { handler, data } = recordingHandler();
      service.subscribe(queue, handler);
      return data;
    });
    for (const queue of ['a', 'b', 'c']) for (let n = 0; n < 5; n += 1) await publishSilently(queue, n);
    expect(await worker.tick()).toBe(15);
    for (const data of handlers) expect(data()).toEqual([0, 1, 2, 3, 4]);
    expect(calls()).toMatchObject({ claim: 1, ack: 3 });
  });

  test('begins with the earliest and the most urgent, and no more at once than it may', async () => {
    const { worker, service, clock } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { concurrency: 2 });
    await service.publishMany('mail', [
      { data: 'second' },
      { data: 'third', options: { priority: 101 } },
      { data: 'first', options: { priority: 1 } },
    ]);
    worker.start();
    await clock.advance(0);
    expect(runs.map(({ message }) => message.data)).toEqual(['first', 'second']);
    runs[0]?.end();
    await clock.advance(100);
    expect(runs.map(({ message }) => message.data)).toEqual(['first', 'second', 'third']);
    for (const { end } of runs) end();
    await worker.stop();
  });

  test('finds unannounced work at an interval, and says so by its lateness', async () => {
    const { worker, service, publishSilently, clock } = queueBench({ intervalMs: 500, maxIdleIntervalMs: 0 });
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    worker.start();
    await clock.advance(400);
    await publishSilently('mail', 1);
    await clock.advance(99);
    expect(data()).toEqual([]);
    await clock.advance(1);
    expect(data()).toEqual([1]);
    expect(worker.counters().lateness).toEqual({ lastMs: 100, maxMs: 100 });
    await worker.stop();
  });

  test('serves the organizations of a queue in turn, claim after claim', async () => {
    const { worker, service } = queueBench();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler, { concurrency: 1 });
    const of = (organizationId: string, count: number) =>
      service.publishMany(
        'mail',
        Array.from({ length: count }, (_, n) => ({ data: `${organizationId}${n}`, options: { organizationId } })),
      );
    await of('a', 6);
    await of('b', 2);
    await of('c', 1);
    await worker.tick();
    expect(data().slice(0, 5)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1']);
    expect(data()).toHaveLength(9);
  });

  test('takes only the jobs of its organization', async () => {
    const { worker, service, job } = queueBench();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler, { organizationId: 'acme' });
    await service.publish('mail', 1, { organizationId: 'acme' });
    const { id } = await service.publish('mail', 2, { organizationId: 'other' });
    await worker.tick();
    expect(data()).toEqual([1]);
    expect(await job(id)).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test('two subscriptions of one queue compete, each in its own slots', async () => {
    const { worker, service, clock } = queueBench();
    const one = heldHandler();
    const other = heldHandler();
    service.subscribe('mail', one.handler, { concurrency: 2 });
    service.subscribe('mail', other.handler, { concurrency: 3, leaseMs: 60_000 });
    await service.publishMany(
      'mail',
      Array.from({ length: 9 }, (_, data) => ({ data })),
    );
    worker.start();
    await clock.advance(0);
    expect([one.runs.length, other.runs.length]).toEqual([2, 3]);
    const ids = [...one.runs, ...other.runs].map(({ message }) => message.id);
    expect(new Set(ids).size).toBe(5);
    for (let round = 0; round < 5; round += 1) {
      for (const { end } of [...one.runs, ...other.runs]) end();
      await clock.advance(50);
    }
    expect(worker.counters()).toMatchObject({ completed: 9, running: 0 });
    expect(one.runs.length + other.runs.length).toBe(9);
    await worker.stop();
  });

  test('leaves a paused queue alone, and wakes when it is resumed', async () => {
    const { worker, service, clock } = queueBench();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    await service.pause('mail');
    worker.start();
    await service.publish('mail', 1);
    await clock.advance(60_000);
    expect(data()).toEqual([]);
    await service.resume('mail');
    await worker.settled();
    expect(data()).toEqual([1]);
    await worker.stop();
  });

  test('begins the next job of a limited group when one ends, not an interval later', async () => {
    const { service, worker, clock, calls } = queueBench({ intervalMs: 3_600_000 });
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler);
    const limited = { groupKey: 'g', groupConcurrency: 1 };
    await service.publishMany(
      'mail',
      [1, 2, 3].map((data) => ({ data, options: { ...limited, maxAttempts: 1 } })),
    );
    worker.start();
    await clock.advance(20);
    runs[0]?.end();
    await clock.advance(20);
    expect(runs).toHaveLength(2);
    runs[1]?.fail(new Error('as asked'));
    await clock.advance(20);
    expect(runs).toHaveLength(3);
    runs[2]?.end();
    await clock.advance(20);
    // Control: the end of a job without a limit is no reason to look.
    await service.publish('mail', 4);
    await clock.advance(20);
    const before = calls();
    runs[3]?.end();
    await clock.advance(20);
    expect(calls()).toEqual({ ...before, ack: 4 });
    await worker.stop();
  });
});

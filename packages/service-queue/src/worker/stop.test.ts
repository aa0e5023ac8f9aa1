import { describe, expect, test } from 'vitest';
import { type BenchOptions, heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';

const jobs = (count: number) => Array.from({ length: count }, (_, data) => ({ data }));

const fails = (): never => {
  throw new Error('the hook has a fault');
};

/** One job at work, and claims that wait for its slot: a quick job before it let the worker claim ahead. */
async function oneRunningFourWaiting(options: BenchOptions = {}) {
  const bench = queueBench(options);
  const { handler, runs } = heldHandler();
  const subscription = bench.service.subscribe('mail', (message, ctx) => (message.data === 'quick' ? undefined : handler(message, ctx)), {
    concurrency: 1,
  });
  await bench.service.publish('mail', 'quick');
  bench.worker.start();
  await bench.worker.settled();
  const published = await bench.service.publishMany('mail', jobs(5));
  await bench.clock.advance(20);
  const states = () => Promise.all(published.map(async ({ id }) => (({ status, attempts }) => [status, attempts])(await bench.job(id))));
  expect(await states()).toEqual(Array(5).fill(['running', 1]));
  expect(runs).toHaveLength(1);
  return { ...bench, subscription, runs, published, states };
}

describe('stop', () => {
  test('[Q11] releases at once what never began, without burning an attempt, and waits for what runs', async () => {
    const { worker, states, runs, clock } = await oneRunningFourWaiting();
    const stopping = worker.stop({ deadlineMs: 5_000 });
    await clock.advance(0);
    expect(await states()).toEqual([['running', 1], ...Array(4).fill(['pending', 0])]);
    expect(runs[0]?.ctx.signal.aborted).toBe(false);
    runs[0]?.end();
    await stopping;
    expect(await states()).toEqual([['completed', 1], ...Array(4).fill(['pending', 0])]);
  });

  test('[Q11] aborts at the deadline what still runs and hands it back, in its place and without burning an attempt', async () => {
    const { worker, states, runs, clock, job, published, memory } = await oneRunningFourWaiting();
    const before = await job(published[0]?.id ?? '');
    const stopping = worker.stop({ deadlineMs: 5_000 });
    await clock.advance(5_000);
    await stopping;
    expect(runs[0]?.ctx.signal.aborted).toBe(true);
    expect(await states()).toEqual(Array(5).fill(['pending', 0]));
    expect(await job(before.id)).toMatchObject({ dueAt: before.dueAt, lastError: null });
    const [first] = await memory.claim({ workerId: 'next', queues: [{ queue: 'mail', limit: 1, leaseMs: 1_000 }] });
    expect(first?.id).toBe(before.id);
    runs[0]?.end();
  });

  test('[Q11] releases what a claim brings home after it', async () => {
    const { service, worker, clock, faults, job } = queueBench();
    const { handler, seen } = recordingHandler();
    service.subscribe('mail', handler);
    const { id } = await service.publish('mail', 1);
    faults.fail({ method: 'claim', kind: 'hang' });
    worker.start();
    await clock.advance(0);
    const stopping = worker.stop({ deadlineMs: 5_000 });
    faults.releaseHung();
    await stopping;
    expect(seen).toEqual([]);
    expect(await job(id)).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test.each(['claim', 'survey', 'release', 'ack', 'renew'] as const)(
    'ends within its bound when the store does not answer a %s',
    async (method) => {
      const { worker, clock, faults, service } = await oneRunningFourWaiting();
      faults.fail({ method, kind: 'hang', times: Number.POSITIVE_INFINITY });
      await service.publish('mail', 'more');
      await clock.advance(15_000);
      let ended = false;
      const stopping = worker.stop({ deadlineMs: 5_000 }).then(() => {
        ended = true;
      });
      await clock.advance(6_000);
      expect(ended).toBe(true);
      await stopping;
      faults.releaseHung();
    },
  );

  test('claims nothing from that instant on, and nothing is timed any more', async () => {
    const { worker, service, clock, calls } = queueBench();
    const { handler, seen } = recordingHandler();
    service.subscribe('mail', handler);
    worker.start();
    await worker.settled();
    await worker.stop();
    const before = calls();
    await service.publish('mail', 1);
    await service.publish('mail', 2, { delayMs: 1_000 });
    await clock.advance(3_600_000);
    expect(calls()).toEqual({ ...before, enqueue: 2 });
    expect(seen).toEqual([]);
    expect(clock.nextTimerAt()).toBeNull();
  });

  test('may be followed by another start', async () => {
    const { worker, service } = queueBench();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    worker.start();
    await worker.stop();
    await service.publish('mail', 1);
    worker.start();
    await worker.settled();
    expect(data()).toEqual([1]);
    await worker.stop();
  });
});

describe('claims that are handed back', () => {
  test('by a stop are told to others: what never began at once, what it cut short when it does', async () => {
    const handedBack: string[] = [];
    const { worker, clock } = await oneRunningFourWaiting({ onHandedBack: (queue) => void handedBack.push(queue) });
    const stopping = worker.stop({ deadlineMs: 5_000 });
    await clock.advance(0);
    expect(handedBack).toEqual(['mail']);
    await clock.advance(5_000);
    await stopping;
    expect(handedBack).toEqual(['mail', 'mail']);
  });

  test('by an unsubscribe are taken by another subscription at once, not an interval later', async () => {
    const { subscription, service, runs, clock, published } = await oneRunningFourWaiting({ intervalMs: 3_600_000, onHandedBack: fails });
    const { handler, seen } = recordingHandler();
    service.subscribe('mail', handler);
    await clock.advance(20);
    expect(seen).toEqual([]);
    const first = subscription.unsubscribe();
    await clock.advance(20);
    expect(seen.map(({ id }) => id)).toEqual(published.slice(1).map(({ id }) => id));
    runs[0]?.end();
    await first;
  });
});

describe('unsubscribe', () => {
  test('claims no more for its queue, lets what runs end, and resolves then', async () => {
    const { worker, service, clock, job } = queueBench();
    const { handler, runs } = heldHandler();
    const subscription = service.subscribe('mail', handler, { concurrency: 2 });
    const other = recordingHandler();
    service.subscribe('other', other.handler);
    const published = await service.publishMany('mail', jobs(3));
    worker.start();
    await clock.advance(0);
    let ended = 0;
    const both = Promise.all([subscription.unsubscribe(), service.unsubscribe('mail')]).then(() => {
      ended += 1;
    });
    await clock.advance(60_000);
    expect([ended, runs.length, runs.every(({ ctx }) => !ctx.signal.aborted)]).toEqual([0, 2, true]);
    for (const { end } of runs) end();
    await clock.advance(100);
    await both;
    const statuses = await Promise.all(published.map(async ({ id }) => (await job(id)).status));
    expect(statuses).toEqual(['completed', 'completed', 'pending']);
    await service.publish('other', 1);
    await worker.settled();
    expect(other.data()).toEqual([1]);
    await worker.stop();
  });

  test('does not hold up a stop, whose deadline aborts its jobs, too', async () => {
    const { worker, service, clock, job } = queueBench();
    const { handler, runs } = heldHandler();
    const subscription = service.subscribe('mail', handler);
    const { id } = await service.publish('mail', 1);
    worker.start();
    await clock.advance(0);
    const ending = subscription.unsubscribe();
    const stopping = worker.stop({ deadlineMs: 1_000 });
    await clock.advance(2_000);
    await Promise.all([ending, stopping]);
    expect(runs[0]?.ctx.signal.aborted).toBe(true);
    expect(await job(id)).toMatchObject({ status: 'pending', attempts: 0 });
    runs[0]?.end();
  });

  test('before there is a worker: nothing is handed over', async () => {
    const { service, worker } = queueBench();
    const { handler, seen } = recordingHandler();
    await service.subscribe('mail', handler).unsubscribe();
    await service.publish('mail', 1);
    await worker.tick();
    expect(seen).toEqual([]);
  });
});

import { type BatchItemOutcome, type ClaimedJob, JOB_LEASE_EXPIRED, type JobContext, type JobStore } from '@bellhop/contracts';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { PermanentError } from '../permanent-error.js';
import { heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';

const FAST = { backoff: { delayMs: 1_000, jitter: 'none' } } as const;

/** A job that is published and run once by `handler`. */
async function runOnce(handler: (ctx: JobContext) => unknown, options = {}) {
  const bench = queueBench();
  bench.service.subscribe('mail', (_message, ctx) => handler(ctx));
  const { id } = await bench.service.publish('mail', 1, { ...FAST, ...options });
  bench.worker.start();
  await bench.clock.advance(0);
  return { ...bench, id };
}

class NoSuchCard extends PermanentError {
  override readonly name = 'NoSuchCard';
}

describe('what a handler does', () => {
  test('returns: completed; it was told which attempt this is, and what the publisher said', async () => {
    const { service, worker, job } = queueBench();
    const { handler, seen } = recordingHandler();
    service.subscribe('mail', handler);
    const options = { organizationId: 'acme', metadata: { trace: 't' }, groupKey: 'g', maxAttempts: 4 };
    const { id } = await service.publish('mail', { to: 'ada' }, options);
    await worker.tick();
    const { createdAt } = await job(id);
    expect(seen).toEqual([
      {
        id,
        queue: 'mail',
        organizationId: 'acme',
        data: { to: 'ada' },
        metadata: { trace: 't' },
        attempt: 1,
        maxAttempts: 4,
        groupKey: 'g',
        createdAt,
      },
    ]);
  });

  test('throws: tried again after its backoff, without other traffic; at the limit dead', async () => {
    const { service, worker, clock, job } = queueBench();
    const attempts: [number, number][] = [];
    service.subscribe('mail', (_message, { attempt }) => {
      attempts.push([attempt, clock.monotonic()]);
      throw new Error(`failed the ${attempt}. time`);
    });
    const { id } = await service.publish('mail', 1, FAST);
    worker.start();
    await clock.advance(10_000);
    expect(attempts).toEqual([
      [1, 0],
      [2, 1_000],
      [3, 3_000],
    ]);
    expect(await job(id)).toMatchObject({ status: 'dead', attempts: 3, lastError: 'failed the 3. time' });
    await worker.stop();
  });

  test.each([
    ['a PermanentError', () => new PermanentError('gone')],
    ['a kind of it', () => new NoSuchCard('gone')],
    ['one of another copy of this package', () => Object.assign(new Error('gone'), { name: 'PermanentError' })],
  ])('throws %s: dead at once', async (_title, make) => {
    const { job, id, worker } = await runOnce(() => {
      throw make();
    });
    expect(await job(id)).toMatchObject({ status: 'dead', attempts: 1, lastError: 'gone' });
    await worker.stop();
  });

  test.each<[string, () => unknown, RegExp]>([
    ['undefined', () => undefined, /^undefined was thrown/],
    ['null', () => null, /^null was thrown/],
    ['a text', () => 'plain', /^plain$/],
    ['a symbol', () => Symbol('s'), /^Symbol\(s\)$/],
    ['an object without a prototype', () => Object.create(null), /which has no text/],
    ['an error whose message throws', () => throwing('message'), /which has no text/],
    ['an error whose name throws', () => throwing('name'), /^x$/],
    ['a proxy that throws at everything', () => new Proxy({}, thrower), /which has no text/],
    ['an error of ten megabytes', () => new Error('x'.repeat(10_000_000)), /^x{8192}$/],
    ['a text that no database keeps', () => new Error('a\0b\ud800c'), /^abc$/],
  ])('throws %s: a failed attempt like any other', async (_title, make, text) => {
    const { job, id, worker, service } = await runOnce(() => {
      throw make();
    });
    const failed = await job(id);
    expect(failed).toMatchObject({ status: 'scheduled', attempts: 1 });
    expect(failed.lastError).toMatch(text);
    await worker.settled();
    expect(service).toBeDefined();
    await worker.stop();
  });

  test('rejects with such a value: the same', async () => {
    const { job, id, worker } = await runOnce(() => Promise.reject(new Proxy({}, thrower)));
    expect(await job(id)).toMatchObject({ status: 'scheduled', attempts: 1 });
    await worker.stop();
  });

  test('never settles: aborted when its time is up, counted as failed, its slot freed; what it does later changes nothing', async () => {
    const { service, worker, clock, job } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { concurrency: 1 });
    const { id } = await service.publish('mail', 'hangs', { ...FAST, timeoutMs: 60_000, maxAttempts: 1 });
    const next = await service.publish('mail', 'next');
    worker.start();
    await clock.advance(59_999);
    expect(runs.map(({ message }) => message.data)).toEqual(['hangs']);
    expect(runs[0]?.ctx.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(runs[0]?.ctx.signal.aborted).toBe(true);
    expect(await job(id)).toMatchObject({ status: 'dead', attempts: 1, lastError: 'The handler did not finish within 60000 ms.' });
    await clock.advance(1_000);
    expect(runs.map(({ message }) => message.data)).toEqual(['hangs', 'next']);
    runs[0]?.end();
    await clock.advance(1_000);
    expect(await job(id)).toMatchObject({ status: 'dead' });
    runs[1]?.end();
    await worker.settled();
    expect(await job(next.id)).toMatchObject({ status: 'completed' });
    await worker.stop();
  });

  test('may take as long as it likes with timeoutMs 0, and longer than a timer can wait', async () => {
    const DAY_MS = 86_400_000;
    const { service, worker, clock, job } = queueBench({ maxIdleIntervalMs: DAY_MS, intervalMs: DAY_MS });
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { leaseMs: 3_600_000 });
    const unlimited = await service.publish('mail', 'unlimited', { timeoutMs: 0 });
    const long = await service.publish('mail', 'long', { timeoutMs: 30 * DAY_MS, ...FAST });
    worker.start();
    await clock.advance(30 * DAY_MS - 1);
    expect(runs.map(({ ctx }) => ctx.signal.aborted)).toEqual([false, false]);
    await clock.advance(1);
    expect(runs.map(({ ctx }) => ctx.signal.aborted)).toEqual([false, true]);
    runs[0]?.end();
    await clock.advance(100);
    expect(await job(unlimited.id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await job(long.id)).toMatchObject({ attempts: 1 });
    await clock.advance(2_000);
    for (const { end } of runs) end();
    await worker.stop();
  });

  test('snoozes: later, the attempt not counted, whatever becomes of the throw', async () => {
    for (const swallow of [false, true]) {
      const { service, worker, clock, job } = queueBench();
      const attempts: number[] = [];
      service.subscribe('mail', (_message, ctx) => {
        attempts.push(ctx.attempt);
        if (attempts.length > 1) return;
        try {
          ctx.snooze(5_000);
        } catch (error) {
          if (!swallow) throw error;
        }
      });
      const { id } = await service.publish('mail', 1);
      worker.start();
      await clock.advance(4_999);
      expect(await job(id)).toMatchObject({ status: 'scheduled', attempts: 0, lastError: null });
      await clock.advance(1);
      expect(attempts).toEqual([1, 1]);
      expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1 });
      await worker.stop();
    }
  });

  test('snoozes for a span that is none: a failed attempt that says so', async () => {
    const { job, id, worker } = await runOnce((ctx) => ctx.snooze(-1));
    expect((await job(id)).lastError).toMatch(/^delayMs: -1 given/);
    await worker.stop();
  });

  test('reports progress, which is stored; a report that is none is refused', async () => {
    const answers: unknown[] = [];
    const { job, id, worker } = await runOnce(async (ctx) => {
      answers.push(await ctx.progress(42.7));
      answers.push(await ctx.progress(101).catch((error: { path: string }) => error.path));
    });
    expect(answers).toEqual([true, 'progress']);
    expect(await job(id)).toMatchObject({ status: 'completed', progress: 42 });
    await worker.stop();
  });

  test('asks for a heartbeat: its lease is extended at once; after a loss both say no', async () => {
    const { service, worker, clock, job, memory } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { leaseMs: 30_000 });
    const { id } = await service.publish('mail', 1);
    worker.start();
    await clock.advance(5_000);
    expect(await runs[0]?.ctx.heartbeat()).toBe(true);
    expect((await job(id)).lockedUntil).toBe(clock.now() + 30_000);
    await memory.reclaim({ now: clock.now() + 60_000, limit: 10 });
    expect(await runs[0]?.ctx.progress(1)).toBe(false);
    expect(await runs[0]?.ctx.heartbeat()).toBe(false);
    expect(runs[0]?.ctx.signal.aborted).toBe(true);
    for (const { end } of runs) end();
    await worker.stop();
  });

  test('is not called for data that are no JSON: the job is dead, with the reason', async () => {
    const clock = new ManualClock();
    class Damaged extends MemoryJobStore {
      override async claim(options: Parameters<JobStore['claim']>[0]): Promise<ClaimedJob[]> {
        return (await super.claim(options)).map((claim) => (claim.data === 'damaged' ? { ...claim, data: undefined } : claim));
      }
    }
    const { service, worker, job } = queueBench({ clock, memory: new Damaged({ clock }) });
    const one = recordingHandler();
    const batches: unknown[][] = [];
    service.subscribe('mail', one.handler);
    service.subscribe('batch', (messages) => void batches.push(messages.map(({ data }) => data)), { batch: 5 });
    const { id } = await service.publish('mail', 'damaged');
    const [damaged, sound] = await service.publishMany('batch', [{ data: 'damaged' }, { data: 'sound' }]);
    await worker.tick();
    expect(one.seen).toEqual([]);
    expect(batches).toEqual([['sound']]);
    for (const dead of [id, damaged?.id ?? '']) {
      expect(await job(dead)).toMatchObject({ status: 'dead', lastError: 'The stored data is no JSON text: something else wrote it.' });
    }
    expect(await job(sound?.id ?? '')).toMatchObject({ status: 'completed' });
  });
});

describe('a handler that blocks the event loop past its lease', () => {
  test('has lost when somebody took the job meanwhile: its late completion changes nothing, and the worker lives', async () => {
    const { service, worker, clock, job, memory } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler);
    const { id } = await service.publish('mail', 1);
    worker.start();
    await clock.advance(0);
    const later = clock.now() + 40_000;
    await memory.reclaim({ now: later, limit: 10 });
    await memory.claim({ workerId: 'other', queues: [{ queue: 'mail', limit: 1, leaseMs: 30_000 }], now: later });
    runs[0]?.end();
    await clock.sleep(40_000, { monotonicMs: 40_000 });
    expect(await job(id)).toMatchObject({ status: 'running', claimedBy: 'other', attempts: 2, lastError: JOB_LEASE_EXPIRED });
    expect(worker.counters()).toMatchObject({ lost: 1, completed: 0 });
    const next = await service.publish('mail', 2);
    await clock.advance(0);
    runs[1]?.end();
    await worker.settled();
    expect(await job(next.id)).toMatchObject({ status: 'completed' });
    await worker.stop();
  });

  test('keeps its job when nobody did: the worker renews what is its own before it returns what is expired', async () => {
    const { service, worker, clock, job } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler);
    worker.start();
    // Past the guard of the start.
    await clock.advance(60_000);
    const { id } = await service.publish('mail', 1);
    await clock.advance(0);
    await clock.sleep(40_000, { monotonicMs: 40_000 });
    await clock.advance(1_000);
    runs[0]?.end();
    await worker.settled();
    expect(runs).toHaveLength(1);
    expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1, lastError: null });
    await worker.stop();
  });
});

describe('a batch handler', () => {
  async function batchOf(outcomes: (ids: string[]) => unknown) {
    const bench = queueBench();
    const sizes: number[] = [];
    bench.service.subscribe(
      'mail',
      (messages) => {
        sizes.push(messages.length);
        return outcomes(messages.map(({ id }) => id)) as BatchItemOutcome[];
      },
      { batch: 4, concurrency: 2 },
    );
    const jobs = Array.from({ length: 4 }, (_, data) => ({ data, options: FAST }));
    const published = await bench.service.publishMany('mail', jobs);
    bench.worker.start();
    await bench.clock.advance(0);
    const ended = await Promise.all(published.map(({ id }) => bench.job(id)));
    await bench.worker.stop();
    return { sizes, ended, statuses: ended.map(({ status }) => status) };
  }

  test('gets up to so many at once; those it does not name are completed', async () => {
    const { sizes, ended, statuses } = await batchOf(([, second = '', third = '', fourth = '']) => [
      { id: second, error: new Error('bounced') },
      { id: third, snoozeMs: 5_000 },
      { id: fourth, error: 'gone', permanent: true },
    ]);
    expect(sizes).toEqual([4]);
    expect(statuses).toEqual(['completed', 'scheduled', 'scheduled', 'dead']);
    expect(ended.map(({ attempts, lastError }) => [attempts, lastError])).toEqual([
      [1, null],
      [1, 'bounced'],
      [0, null],
      [1, 'gone'],
    ]);
  });

  test('returns nothing: all completed. Throws: all failed', async () => {
    expect((await batchOf(() => undefined)).statuses).toEqual(Array(4).fill('completed'));
    const { ended } = await batchOf(() => {
      throw new Error('all of them');
    });
    expect(ended.map(({ status, lastError }) => [status, lastError])).toEqual(Array(4).fill(['scheduled', 'all of them']));
  });

  test.each<[string, (ids: string[]) => unknown, string]>([
    ['no list', () => ({ failed: 1 }), 'The batch handler returned object; a list of outcomes, or nothing, is needed.'],
    ['settled promises', () => [{ status: 'rejected', reason: 'x' }], 'outcomes[0].id: the id of a job of the batch is needed.'],
    ['an id of another batch', () => [{ id: 'nobody', error: 'x' }], 'outcomes[0].id: nobody is not in the batch.'],
    [
      'an outcome that says nothing',
      ([id]) => [{ id }],
      'outcomes[0]: neither error nor snoozeMs is there; a completed job is left out of the list.',
    ],
    ['a hole', () => [null], 'outcomes[0]: { id, error } or { id, snoozeMs } is needed.'],
  ])('returns %s, which cannot be read: all failed, since to let it pass would complete what failed', async (_title, outcomes, text) => {
    const { ended } = await batchOf(outcomes);
    expect(ended.map(({ status, lastError }) => [status, lastError])).toEqual(Array(4).fill(['scheduled', text]));
  });
});

/** A proxy handler none of whose traps lets anything through. */
const thrower: ProxyHandler<object> = new Proxy(
  {},
  {
    get: () => () => {
      throw new Error('hands off');
    },
  },
);

function throwing(name: 'message' | 'name'): Error {
  return Object.defineProperty(new Error('x'), name, {
    get() {
      throw new Error('hands off');
    },
  });
}

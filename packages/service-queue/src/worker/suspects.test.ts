import type { ClaimedJob, JobStore } from '@bellhop/contracts';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';

const LEASE_MS = 30_000;
const JOBS = 60;

/** What a worker would be without care: one that never hears that a lease expired. */
class Forgetful extends MemoryJobStore {
  override async claim(options: Parameters<JobStore['claim']>[0]): Promise<ClaimedJob[]> {
    return (await super.claim(options)).map((claim) => ({ ...claim, lastError: null }));
  }
}

/**
 * Lives of a process on one store. Each ends when the poison is run: nothing of it is heard of any more, as after a crash. The next one starts when
 * its leases have expired.
 */
async function liveUntilQuiet({ maxAttempts = 3, forgetful = false } = {}) {
  const clock = new ManualClock();
  const memory = forgetful ? new Forgetful({ clock }) : new MemoryJobStore({ clock });
  const { service } = queueBench({ clock, memory });
  const data = (n: number) => (n === 5 ? 'poison' : `job ${n}`);
  const published = await service.publishMany(
    'mail',
    Array.from({ length: JOBS }, (_, n) => ({ data: data(n), options: { maxAttempts } })),
  );
  let crashes = 0;
  for (let life = 0; life < 8; life += 1) {
    let dead = false;
    const never = new Promise<never>(() => {});
    // A dead process writes nothing: its calls to the store go nowhere.
    const own = new Proxy(memory, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (...args: unknown[]) => (dead ? never : Reflect.apply(member, target, args)) : member;
      },
    });
    const bench = queueBench({ clock, memory: own, workerId: `life-${life}` });
    bench.service.subscribe('mail', async (message) => {
      if (message.data === 'poison') dead = true;
      // Jobs take a moment: whatever was claimed beside the poison is under way, or waits, when the process ends.
      await Promise.resolve();
      if (dead) return never;
    });
    bench.worker.start();
    await clock.advance(3 * LEASE_MS);
    if (dead) crashes += 1;
    const stopping = bench.worker.stop({ deadlineMs: 0 });
    await clock.advance(2_000);
    await stopping;
  }
  const jobs = await Promise.all(published.map(({ id }) => memory.get(id)));
  const of = (status: string) => jobs.filter((job) => job?.status === status).map((job) => job?.data);
  return { crashes, dead: of('dead'), completed: of('completed').length };
}

describe('a job that ends its process', () => {
  test.each([3, 4, 2])('goes dead after its own %i attempts and takes no other along', async (maxAttempts) => {
    expect(await liveUntilQuiet({ maxAttempts })).toEqual({ crashes: maxAttempts, dead: ['poison'], completed: JOBS - 1 });
  });

  test('control: where nobody is suspected, it takes others along', async () => {
    const { dead, completed } = await liveUntilQuiet({ forgetful: true });
    expect(dead.length).toBeGreaterThan(1);
    expect(completed).toBe(JOBS - dead.length);
  });
});

describe('jobs under suspicion', () => {
  /** Jobs that two processes have died with, and one that is fresh. */
  async function suspects(count: number) {
    const bench = queueBench();
    const { handler, runs } = heldHandler();
    await bench.service.publishMany(
      'mail',
      Array.from({ length: count }, (_, data) => ({ data })),
    );
    for (let crash = 0; crash < 2; crash += 1) {
      await bench.claimForDead('mail', LEASE_MS);
      await bench.memory.reclaim({ now: bench.clock.now() + LEASE_MS, limit: count });
    }
    bench.service.subscribe('mail', handler, { leaseMs: LEASE_MS });
    bench.worker.start();
    await bench.clock.advance(0);
    return { ...bench, runs, data: () => runs.map(({ message }) => message.data) };
  }

  test('run one at a time, the others put off without an attempt counted, until each is done', async () => {
    const { runs, data, clock, worker, service } = await suspects(3);
    expect(data()).toEqual([0]);
    expect(worker.counters()).toMatchObject({ putOff: 2, running: 1 });
    runs[0]?.end();
    await clock.advance(1_000);
    expect(data()).toEqual([0, 1]);
    runs[1]?.end();
    await clock.advance(2_000);
    expect(data()).toEqual([0, 1, 2]);
    expect(runs.map(({ ctx }) => ctx.attempt)).toEqual([3, 3, 3]);
    runs[2]?.end();
    await worker.settled();
    expect(await service.stats('mail')).toMatchObject([{ completed: 3, dead: 0 }]);
    await worker.stop();
  });

  test('that are done at once follow each other at once: two crashes do not hold up all that was claimed ahead', async () => {
    const { clock, worker, service, runs } = await suspects(100);
    for (let done = 0; done < 100; done += 1) {
      runs[done]?.end();
      await clock.advance(50);
    }
    expect(await service.stats('mail')).toMatchObject([{ completed: 100, dead: 0 }]);
    // Control: they were put off, each once.
    expect(worker.counters().putOff).toBe(99);
    await worker.stop();
  });

  test('meet one that takes long ever less often, and come back within a minute', async () => {
    const { clock, worker, memory, data, stop } = await suspects(100);
    await clock.advance(LEASE_MS - 1);
    expect(data()).toEqual([0]);
    // Each soon, and then one a second. At an even 50 ms it would be 600.
    expect(worker.counters().putOff).toBeLessThan(300);
    const { nextDueAt = 0 } = await memory.survey({ queues: [] });
    expect(nextDueAt - clock.now()).toBeLessThanOrEqual(1_000);
    await clock.advance(60_000);
    expect(data().length).toBeGreaterThan(1);
    await stop();
  });

  test('hold up nobody else: fresh jobs of any queue run beside them', async () => {
    const { data, clock, worker, service, stop } = await suspects(2);
    const other = recordingHandler();
    service.subscribe('other', other.handler);
    await service.publish('other', 'fresh');
    await service.publish('mail', 'fresh');
    await clock.advance(20);
    expect(data()).toEqual([0, 'fresh']);
    expect(other.data()).toEqual(['fresh']);
    await stop();
    expect(worker.counters().running).toBe(0);
  });

  test('one that has run for a whole lease is not waited for', async () => {
    const { data, clock, stop } = await suspects(2);
    await clock.advance(LEASE_MS - 1);
    expect(data()).toEqual([0]);
    await clock.advance(1_001);
    expect(data()).toEqual([0, 1]);
    await stop();
  });

  test('one that is claimed again while it is at work here is not a suspect: no process ended', async () => {
    const { data, clock, memory, worker, stop, runs } = await suspects(1);
    await memory.reclaim({ now: clock.now() + LEASE_MS, limit: 1 });
    worker.wake('mail');
    await clock.advance(20);
    expect(data()).toEqual([0]);
    expect(worker.counters().putOff).toBe(0);
    for (const { end } of runs) end();
    await stop();
  });
});

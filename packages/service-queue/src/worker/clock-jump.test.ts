import { describe, expect, test } from 'vitest';
import { heldHandler, queueBench } from '../queue-bench.fixture.js';

const HOUR_MS = 3_600_000;

/** Two workers on one machine and one store; the first has a job at work when the wall clock jumps. */
async function jumpWhileRunning({
  secondStartsAfterwards,
  secondTicksByHand = false,
}: {
  secondStartsAfterwards: boolean;
  secondTicksByHand?: boolean;
}) {
  const { handler, runs } = heldHandler();
  const one = queueBench({ workerId: 'one' });
  one.service.subscribe('mail', handler);
  const join = () => {
    const bench = queueBench({ clock: one.clock, memory: one.memory, workerId: 'two' });
    bench.service.subscribe('mail', handler);
    return bench;
  };
  const before = secondStartsAfterwards ? undefined : join();
  const { id } = await one.service.publish('mail', 1);
  one.worker.start();
  await one.clock.advance(100);
  before?.worker.start();
  await one.clock.advance(100);
  one.clock.jumpWall(HOUR_MS);
  const two = before ?? join();
  if (secondTicksByHand) void two.worker.tick();
  else two.worker.start();
  two.worker.wake();
  await one.clock.advance(0);
  const stop = async () => {
    for (const { end } of runs) end();
    await one.stop();
    await two.stop();
  };
  return { one, two, runs, id, stop };
}

describe('a jump of the wall clock', () => {
  test.each([
    ['by a worker that saw it', false],
    ['by one that starts after it, and cannot know of it', true],
  ])('causes no second run %s: nobody returns leases before their owners had the time to renew', async (_title, secondStartsAfterwards) => {
    const { one, runs, id, stop } = await jumpWhileRunning({ secondStartsAfterwards });
    await one.clock.advance(60_000);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.ctx.signal.aborted).toBe(false);
    runs[0]?.end();
    await one.clock.advance(100);
    expect(await one.job(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await stop();
  });

  test.each(['survey', 'renew'] as const)('causes no second run when it comes in the middle of a tick, at the %s', async (moment) => {
    const { handler, runs } = heldHandler();
    const one = queueBench({ workerId: 'one' });
    one.service.subscribe('mail', handler);
    const { id } = await one.service.publish('mail', 1);
    one.worker.start();
    let jumps = 0;
    const memory = new Proxy(one.memory, {
      get(target, name) {
        if (name === moment && jumps === 1) {
          jumps += 1;
          one.clock.jumpWall(HOUR_MS);
        }
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const two = queueBench({ clock: one.clock, memory, workerId: 'two', seed: 2 });
    two.service.subscribe('mail', handler);
    two.worker.start();
    // What it works, it renews before it returns what expired.
    two.service.subscribe('other', handler);
    await two.service.publish('other', 1);
    await one.clock.advance(60_000);
    const dead = await one.publishSilently('gone');
    await one.memory.claim({ workerId: 'dead', now: one.clock.now() - 60_000, queues: [{ queue: 'gone', limit: 1, leaseMs: 30_000 }] });
    jumps = 1;
    two.worker.wake();
    await one.clock.advance(20);
    // Control: the tick was in the middle of returning leases, and one that had really expired is returned.
    expect(jumps).toBe(2);
    await one.clock.advance(60_000);
    expect(await one.job(dead)).toMatchObject({ status: 'pending', attempts: 1 });
    expect(runs.filter(({ message }) => message.id === id)).toHaveLength(1);
    for (const { end } of runs) end();
    await one.clock.advance(100);
    expect(await one.job(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await one.stop();
    await two.stop();
  });

  test('control: a worker that neither saw the jump nor waits at its start returns the lease at once, and runs the job a second time', async () => {
    const { runs, stop } = await jumpWhileRunning({ secondStartsAfterwards: true, secondTicksByHand: true });
    expect(runs).toHaveLength(2);
    await stop();
  });

  test('a worker renews its own leases before its next tick reads expiries', async () => {
    const { service, worker, clock, job, calls, stop } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler);
    const { id } = await service.publish('mail', 1);
    worker.start();
    await clock.advance(100);
    clock.jumpWall(HOUR_MS);
    worker.wake();
    await clock.advance(0);
    expect(await job(id)).toMatchObject({ status: 'running', lockedUntil: clock.now() + 30_000 });
    expect(calls()).toMatchObject({ renew: 1 });
    expect(calls()).not.toHaveProperty('reclaim');
    runs[0]?.end();
    await stop();
  });

  test('a lease that is really dead is returned after it, at the latest when its owner would have renewed it', async () => {
    const { worker, service, clock, publishSilently, claimForDead } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { leaseMs: HOUR_MS });
    await publishSilently('mail', 1);
    await claimForDead('mail');
    worker.start();
    await clock.advance(100);
    clock.jumpWall(HOUR_MS);
    worker.wake();
    await clock.advance(29_999);
    expect(runs).toHaveLength(0);
    await clock.advance(1);
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    await worker.stop();
  });
});

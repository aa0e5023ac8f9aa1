import { describe, expect, test } from 'vitest';
import { heldHandler, queueBench } from '../queue-bench.fixture.js';

const LEASE_MS = 30_000;

/** A worker with one job at work, and a second worker beside it whose handler does the same. */
async function twoWorkers() {
  const one = queueBench();
  const two = queueBench({ clock: one.clock, memory: one.memory });
  const first = heldHandler();
  const second = heldHandler();
  one.service.subscribe('mail', first.handler, { leaseMs: LEASE_MS });
  const { id } = await one.service.publish('mail', 1);
  one.worker.start();
  await one.clock.advance(0);
  two.service.subscribe('mail', second.handler, { leaseMs: LEASE_MS });
  two.worker.start();
  const stop = async () => {
    for (const { end } of [...first.runs, ...second.runs]) end();
    await one.stop();
    await two.stop();
  };
  return { one, two, first, second, id, stop };
}

describe('the lease of a job at work', () => {
  test('[Q4] is renewed each third of it, so a job may take longer, and nobody else begins it', async () => {
    const { one, second, first, id, stop } = await twoWorkers();
    await one.clock.advance(5 * LEASE_MS);
    expect(one.faults.calls('renew')).toBe(15);
    expect(second.runs).toHaveLength(0);
    first.runs[0]?.end();
    await one.clock.advance(100);
    expect(await one.job(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await stop();
  });

  test('[Q4] is renewed together with those of all jobs of the subscription, in one call', async () => {
    const { service, worker, clock, calls, stop } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { concurrency: 7, leaseMs: LEASE_MS });
    await service.publishMany(
      'mail',
      Array.from({ length: 7 }, (_, data) => ({ data })),
    );
    worker.start();
    await clock.advance(LEASE_MS / 3);
    expect(runs).toHaveLength(7);
    expect(calls()).toMatchObject({ renew: 1 });
    for (const { end } of runs) end();
    await stop();
  });

  test('[Q4] when it is lost, the handler is told at the next renewal, and what it returns changes nothing', async () => {
    const { service, worker, clock, memory, job, stop } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler, { leaseMs: LEASE_MS });
    const { id } = await service.publish('mail', 1);
    worker.start();
    await clock.advance(0);
    await service.pause('mail');
    await memory.reclaim({ now: clock.now() + LEASE_MS, limit: 1 });
    await clock.advance(LEASE_MS / 3 - 1);
    expect(runs[0]?.ctx.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(runs[0]?.ctx.signal.aborted).toBe(true);
    runs[0]?.end();
    await clock.advance(1_000);
    expect(await job(id)).toMatchObject({ status: 'pending', attempts: 1 });
    expect(worker.counters()).toMatchObject({ lost: 1, completed: 0, running: 0 });
    await stop();
  });

  test('[Q4] survives a renewal that fails; when none has gone through before its end, the handler is aborted', async () => {
    const { one, first, id, stop } = await twoWorkers();
    one.faults.fail({ method: 'renew', kind: 'throw' });
    await one.clock.advance(LEASE_MS);
    expect(first.runs[0]?.ctx.signal.aborted).toBe(false);
    expect((await one.job(id)).lockedUntil).toBe(one.clock.now() + LEASE_MS);
    one.faults.fail({ method: 'renew', kind: 'throw', times: Number.POSITIVE_INFINITY });
    await one.clock.advance(LEASE_MS - 1);
    expect(first.runs[0]?.ctx.signal.aborted).toBe(false);
    await one.clock.advance(1);
    expect(first.runs[0]?.ctx.signal.aborted).toBe(true);
    await stop();
  });

  test('control: the lease of a process that is dead is not renewed, and its job is begun again when it ends', async () => {
    const { clock, publishSilently, claimForDead, worker, service, job } = queueBench();
    const { handler, runs } = heldHandler();
    service.subscribe('mail', handler);
    worker.start();
    await clock.advance(60_000);
    const id = await publishSilently('mail', 1);
    await claimForDead('mail', LEASE_MS);
    await clock.advance(LEASE_MS + 30_000);
    expect(runs).toHaveLength(1);
    expect(await job(id)).toMatchObject({ status: 'running', attempts: 2, lastError: 'lease expired' });
    runs[0]?.end();
    await worker.stop();
  });
});

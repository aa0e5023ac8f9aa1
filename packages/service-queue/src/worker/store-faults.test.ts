import type { JobStore } from '@bellhop/contracts';
import { describe, expect, test } from 'vitest';
import { queueBench, recordingHandler } from '../queue-bench.fixture.js';

async function working() {
  const bench = queueBench();
  const { handler, data } = recordingHandler();
  bench.service.subscribe('mail', handler);
  bench.worker.start();
  await bench.worker.settled();
  return { ...bench, data };
}

describe('a store that fails', () => {
  test.each<[keyof JobStore, string]>([
    ['survey', 'mail'],
    ['claim', 'mail'],
  ])('at a %s: the wake stays owed and is made good within 5 s of the recovery, not after an idle interval', async (method, queue) => {
    const { faults, service, clock, data, worker, publishSilently } = await working();
    await clock.advance(302_000);
    let down = true;
    faults.fail({ method, kind: 'throw', times: Number.POSITIVE_INFINITY, when: () => down });
    if (method === 'survey') {
      await publishSilently(queue, 1);
      worker.wake();
    } else await service.publish(queue, 1);
    await clock.advance(60_000);
    expect(data()).toEqual([]);
    expect(worker.health()).toMatchObject({ status: 'failing', reason: expect.stringContaining(`${method} fails`) });
    down = false;
    await clock.advance(5_000);
    expect(data()).toEqual([1]);
    expect(worker.health()).toMatchObject({ status: 'ok' });
    await worker.stop();
  });

  test('at a promote or a reclaim: what is claimable is run all the same', async () => {
    const { faults, service, clock, data, worker, publishSilently, claimForDead } = await working();
    await clock.advance(60_000);
    faults.fail({ method: 'promote', kind: 'throw' });
    faults.fail({ method: 'reclaim', kind: 'throw' });
    await publishSilently('mail', 'expired');
    await claimForDead('mail', 1_000);
    await publishSilently('mail', 'due', clock.now() + 1_000);
    await publishSilently('mail', 'claimable');
    worker.due(clock.now() + 1_000);
    await clock.advance(1_000);
    expect(data()).toEqual(['claimable']);
    await clock.advance(5_000);
    expect(data().toSorted()).toEqual(['claimable', 'due', 'expired']);
    expect(service).toBeDefined();
    await worker.stop();
  });

  test('after a claim whose answer is lost: its jobs come back when their leases end, with the attempt counted', async () => {
    const { faults, service, clock, data, worker, job } = await working();
    await clock.advance(60_000);
    faults.fail({ method: 'claim', kind: 'throwAfter' });
    const { id } = await service.publish('mail', 1);
    await clock.advance(20_000);
    expect(data()).toEqual([]);
    expect(await job(id)).toMatchObject({ status: 'running', attempts: 1 });
    await clock.advance(11_000);
    expect(data()).toEqual([1]);
    expect(await job(id)).toMatchObject({ status: 'completed', attempts: 2 });
    await worker.stop();
  });

  test('after an ack whose answer is lost: the outcome stands, and the retry that finds it written harms nobody', async () => {
    const { faults, service, clock, data, worker, job } = await working();
    faults.fail({ method: 'ack', kind: 'throwAfter' });
    const { id } = await service.publish('mail', 1);
    await clock.advance(60_000);
    expect(data()).toEqual([1]);
    expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await worker.stop();
  });

  test('that hangs at an ack: tried again while the lease lasts', async () => {
    const { faults, service, clock, worker, job } = await working();
    faults.fail({ method: 'ack', kind: 'hang' });
    const { id } = await service.publish('mail', 1);
    await clock.advance(10_000);
    expect(await job(id)).toMatchObject({ status: 'running' });
    faults.releaseHung();
    await clock.advance(1_000);
    expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1 });
    await worker.stop();
  });

  test('at a publish: its caller is told, and nobody is woken', async () => {
    const { faults, service, announced } = await working();
    faults.fail({ method: 'enqueue', kind: 'throw' });
    await expect(service.publish('mail', 1)).rejects.toThrow('enqueue fails');
    expect(announced).toEqual([]);
  });
});

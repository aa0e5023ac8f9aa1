import { describe, expect, test } from 'vitest';
import { heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';

const jobs = (count: number) => Array.from({ length: count }, (_, data) => ({ data }));

/** A queue all of whose slots are held by handlers that do not end, with more waiting, beside a quick one. */
async function slowBesideQuick(options: Parameters<typeof queueBench>[0] = {}, slow: { concurrency?: number } = { concurrency: 3 }) {
  const bench = queueBench(options);
  const held = heldHandler();
  const quick = recordingHandler();
  bench.service.subscribe('slow', held.handler, slow);
  bench.service.subscribe('quick', quick.handler);
  await bench.service.publishMany('slow', jobs(20));
  bench.worker.start();
  await bench.clock.advance(0);
  const stop = async () => {
    await bench.stop();
    for (const { end } of held.runs) end();
  };
  return { ...bench, held, quick, stop };
}

describe('a queue beside others', () => {
  test('[Q8] whose handlers do not end holds up no other', async () => {
    const { service, quick, held, clock, stop } = await slowBesideQuick();
    expect(held.runs).toHaveLength(3);
    for (let n = 0; n < 5; n += 1) {
      await service.publish('quick', n);
      await clock.advance(20);
      expect(quick.data()).toHaveLength(n + 1);
    }
    expect(held.runs).toHaveLength(3);
    await stop();
  });

  test('[Q8] that fills the worker leaves a slot to each of those that run nothing', async () => {
    const { service, quick, held, clock, stop } = await slowBesideQuick({ maxConcurrency: 4 }, { concurrency: 100 });
    expect(held.runs).toHaveLength(3);
    await service.publishMany('quick', jobs(3));
    await clock.advance(1_000);
    expect(quick.data()).toEqual([0, 1, 2]);
    expect(held.runs).toHaveLength(3);
    await stop();
  });

  test('[Q8] whose claim fails is claimed for alone: the others go on, and it comes back by itself', async () => {
    const { service, worker, faults, clock } = queueBench();
    const good = recordingHandler();
    const bad = recordingHandler();
    service.subscribe('good', good.handler);
    service.subscribe('bad', bad.handler);
    faults.fail({ method: 'claim', kind: 'throw', times: 6, when: ([{ queues }]) => queues.some(({ queue }) => queue === 'bad') });
    await service.publish('bad', 1);
    await service.publish('good', 1);
    worker.start();
    await clock.advance(1_000);
    expect(good.data()).toEqual([1]);
    expect(bad.data()).toEqual([]);
    expect(worker.health()).toMatchObject({ status: 'degraded', reason: expect.stringContaining('claim fails') });
    await clock.advance(60_000);
    expect(bad.data()).toEqual([1]);
    expect(worker.health()).toMatchObject({ status: 'ok' });
    const before = faults.calls('claim');
    await service.publishMany('bad', jobs(1));
    await service.publishMany('good', jobs(1));
    await worker.settled();
    expect([good.data(), bad.data()]).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(faults.calls('claim') - before).toBe(1);
    await worker.stop();
  });

  test('[Q8] whose acks fail strands nobody: not another queue, nor its own other jobs', async () => {
    const { service, worker, faults, job, clock } = queueBench();
    service.subscribe('a', () => {});
    service.subscribe('b', () => {});
    const published = await service.publishMany('a', jobs(5));
    const stuck = published[2]?.id;
    const other = await service.publish('b', 1);
    let broken = true;
    const isStuck = ({ claim }: { readonly claim: { readonly id: string } }) => claim.id === stuck;
    faults.fail({ method: 'ack', kind: 'throw', times: Number.POSITIVE_INFINITY, when: ([acks]) => broken && acks.some(isStuck) });
    worker.start();
    await clock.advance(0);
    const statuses = await Promise.all([...published, other].map(async ({ id }) => (await job(id)).status));
    expect(statuses).toEqual(['completed', 'completed', 'running', 'completed', 'completed', 'completed']);
    // What cannot be written is left to its lease, and run again.
    await clock.advance(31_000);
    broken = false;
    await clock.advance(60_000);
    expect(await job(stuck ?? '')).toMatchObject({ status: 'completed', attempts: 2 });
    await worker.stop();
  });

  test('whose slots come free is served at once, whatever another holds, and no tick runs for a queue that has room', async () => {
    const { held, worker, clock, service, stop } = await slowBesideQuick();
    held.runs[0]?.end();
    await clock.advance(20);
    expect(held.runs.length).toBeGreaterThan(3);
    const { ticks } = worker.counters();
    await service.publish('quick', 1);
    await clock.advance(20);
    expect(worker.counters().ticks).toBe(ticks + 1);
    await stop();
  });
});

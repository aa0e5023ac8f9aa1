import { describe, expect, test } from 'vitest';
import { queueBench, recordingHandler } from '../queue-bench.fixture.js';

/** A worker that has been idle so long that its next tick is 30 s away: what it does sooner, it does for a due time. */
async function idleWorker() {
  const bench = queueBench();
  const { handler, seen, data } = recordingHandler();
  bench.service.subscribe('mail', handler);
  bench.worker.start();
  await bench.clock.advance(302_000);
  const { ticks } = bench.worker.counters();
  return { ...bench, seen, data, ticks };
}

describe('work that comes due later', () => {
  test('[Q7] runs at its due time when it was announced, with no other traffic and no tick before', async () => {
    const { service, clock, data, worker, ticks } = await idleWorker();
    await service.publish('mail', 'later', { delayMs: 7_000 });
    await clock.advance(6_999);
    expect(data()).toEqual([]);
    expect(worker.counters().ticks).toBe(ticks);
    await clock.advance(1);
    expect(data()).toEqual(['later']);
    expect(worker.counters().lateness?.lastMs).toBe(0);
    await worker.stop();
  });

  test('[Q7] runs at its due time when a survey saw it, each of several', async () => {
    const { publishSilently, clock, data, worker } = await idleWorker();
    const now = clock.now();
    for (const at of [31_000, 32_500, 40_123]) await publishSilently('mail', at, now + at);
    await clock.advance(30_999);
    expect(data()).toEqual([]);
    for (const [until, run] of [
      [31_000, [31_000]],
      [32_499, [31_000]],
      [32_500, [31_000, 32_500]],
      [40_122, [31_000, 32_500]],
      [40_123, [31_000, 32_500, 40_123]],
    ] as const) {
      await clock.advance(now + until - clock.now());
      expect(data()).toEqual(run);
    }
    await worker.stop();
  });

  test('[Q7] the lease of a dead process that a survey saw is returned when it ends, not an interval later', async () => {
    const { publishSilently, claimForDead, clock, seen, worker } = await idleWorker();
    await publishSilently('mail', 1);
    await claimForDead('mail', 45_000);
    // The survey after 28 s sees the lease; the interval would come 13 s after its end.
    await clock.advance(44_999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toMatchObject([{ data: 1, attempt: 2 }]);
    await worker.stop();
  });

  test('[Q7] a retry runs when its backoff has passed, which no survey needs to see', async () => {
    const { service, clock, worker } = queueBench({ intervalMs: 3_600_000 });
    const at: number[] = [];
    service.subscribe('mail', () => {
      at.push(clock.monotonic());
      throw new Error('again');
    });
    await service.publish('mail', 1, { maxAttempts: 4, backoff: { type: 'fixed', delayMs: 12_345, jitter: 'none' } });
    worker.start();
    await clock.advance(60_000);
    expect(at).toEqual([0, 12_345, 24_690, 37_035]);
    await worker.stop();
  });

  test('thousands of future jobs of a better priority, and thousands due elsewhere, do not hold up one that is due', async () => {
    const { service, publishSilently, clock, worker } = queueBench();
    const { handler, data } = recordingHandler();
    service.subscribe('mail', handler);
    const future = Array.from({ length: 5_000 }, () => ({ data: 'future', options: { priority: 1, delayMs: 3_600_000 } }));
    await service.publishMany('mail', future);
    // Due before ours, and of a queue that nobody here serves.
    const elsewhere = Array.from({ length: 2_500 }, () => ({ data: 'elsewhere', options: { delayMs: 1_000 } }));
    await service.publishMany('other', elsewhere);
    await publishSilently('mail', 'due', clock.now() + 1_001);
    worker.start();
    await clock.advance(1_001);
    expect(data()).toEqual(['due']);
    expect(worker.counters().promoted).toBe(2_501);
    await worker.stop();
  });
});

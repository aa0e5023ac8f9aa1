import type { JobMessage } from '@bellhop/contracts';
import { describe, expect, test } from 'vitest';
import { queueBench } from '../queue-bench.fixture.js';

const LEASE_MS = 30_000;

/** A batch of three jobs at work, whose handler waits for the test to end it. */
async function batchAtWork(options: readonly { readonly timeoutMs?: number }[] = [{}, {}, {}]) {
  const bench = queueBench();
  const runs: { readonly messages: readonly JobMessage[]; readonly signal: AbortSignal; readonly end: () => void }[] = [];
  bench.service.subscribe('mail', (messages, { signal }) => new Promise<void>((resolve) => runs.push({ messages, signal, end: resolve })), {
    batch: 3,
    leaseMs: LEASE_MS,
  });
  const published = await bench.service.publishMany(
    'mail',
    options.map((each, data) => ({ data, options: { ...each, backoff: { delayMs: 3_600_000, jitter: 'none' as const } } })),
  );
  bench.worker.start();
  await bench.clock.advance(0);
  const [run] = runs;
  if (!run) throw new Error('The batch was to run.');
  const jobs = async () =>
    Promise.all(published.map(async ({ id }) => (({ status, attempts, lastError }) => [status, attempts, lastError])(await bench.job(id))));
  return { ...bench, run, runs, published, jobs };
}

describe('a batch at work', () => {
  test('has as long as the least patient of its jobs, then all of them failed', async () => {
    const { clock, run, jobs, stop } = await batchAtWork([{}, { timeoutMs: 2_000 }, { timeoutMs: 0 }]);
    await clock.advance(1_999);
    expect(run.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(run.signal.aborted).toBe(true);
    await clock.advance(20);
    expect(await jobs()).toEqual(Array(3).fill(['scheduled', 1, 'The handler did not finish within 2000 ms.']));
    run.end();
    await stop();
  });

  test('is handed back whole when a stop cuts it short, no attempt counted', async () => {
    const { run, jobs, stop } = await batchAtWork();
    await stop();
    expect(run.signal.aborted).toBe(true);
    expect(await jobs()).toEqual(Array(3).fill(['pending', 0, null]));
    run.end();
  });

  test('goes on when one of its claims is lost, whose end then is another’s; when all are, it is aborted', async () => {
    const { clock, run, memory, jobs, worker, service, stop } = await batchAtWork();
    await service.pause('mail');
    // As after a lease that ran out unnoticed: the first by its id goes.
    await memory.reclaim({ now: clock.now() + LEASE_MS, limit: 1 });
    await clock.advance(LEASE_MS / 3);
    expect(run.signal.aborted).toBe(false);
    run.end();
    await clock.advance(20);
    expect(await jobs()).toEqual([
      ['pending', 1, 'lease expired'],
      ['completed', 1, null],
      ['completed', 1, null],
    ]);
    expect(worker.counters()).toMatchObject({ completed: 2, lost: 1 });
    await stop();

    const other = await batchAtWork();
    await other.service.pause('mail');
    await other.memory.reclaim({ now: other.clock.now() + LEASE_MS, limit: 3 });
    await other.clock.advance(LEASE_MS / 3);
    expect(other.run.signal.aborted).toBe(true);
    other.run.end();
    await other.clock.advance(20);
    expect(await other.jobs()).toEqual(Array(3).fill(['pending', 1, 'lease expired']));
    expect(other.worker.counters()).toMatchObject({ completed: 0, lost: 3 });
    await other.stop();
  });

  test('renews its jobs together while it lasts, and asks for it with one call', async () => {
    const { clock, run, calls, stop, jobs } = await batchAtWork();
    await clock.advance(3 * LEASE_MS);
    expect(calls()).toMatchObject({ renew: 9 });
    run.end();
    await clock.advance(20);
    expect(await jobs()).toEqual(Array(3).fill(['completed', 1, null]));
    await stop();
  });
});

test('batches of a limited group hold no more jobs than its limit', async () => {
  const { service, worker, clock } = queueBench();
  const sizes: number[] = [];
  service.subscribe('mail', (messages) => void sizes.push(messages.length), { batch: 10, concurrency: 3 });
  await service.publishMany(
    'mail',
    Array.from({ length: 6 }, (_, data) => ({ data, options: { groupKey: 'g', groupConcurrency: 2 } })),
  );
  worker.start();
  await clock.advance(1_000);
  expect(sizes).toEqual([2, 2, 2]);
  await worker.stop();
});

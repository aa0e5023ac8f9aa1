import assert from 'node:assert/strict';
import { COMPLETED } from './held-job-claims.js';
import { type JobBench, type JobStoreConformanceOptions, jobSection, LEASE_MS, START, WINDOW_MS } from './job-bench.js';

const KEY = { idempotencyKey: 'order-7' } as const;

export function idempotencySection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'an idempotency key', (test) => {
    test('of a scheduled job holds: a repeat gives its id and stores nothing', async (bench) => {
      const holder = await bench.enqueue({ ...KEY, dueAt: START + 9 });
      await assertHeld(bench, holder);
    });

    test('of a pending job holds', async (bench) => {
      const holder = await bench.enqueue(KEY);
      await assertHeld(bench, holder);
    });

    test('of a running job holds, its lease expired or not', async (bench) => {
      const holder = await bench.enqueue(KEY);
      await bench.claimOne();
      await assertHeld(bench, holder);
      await bench.clock.advance(LEASE_MS * 2);
      await assertHeld(bench, holder);
    });

    test('of a job that waits for its retry holds, and of one that was reclaimed', async (bench) => {
      const holder = await bench.enqueue(KEY);
      await bench.ack(await bench.claimOne(), { outcome: 'retry', error: 'x', dueAt: START + 50 });
      await assertHeld(bench, holder);
      await bench.clock.advance(50);
      await bench.promoteAndClaim();
      await bench.clock.advance(LEASE_MS);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
      await assertHeld(bench, holder);
    });

    test('of a live job holds past its window', async (bench) => {
      const holder = await bench.enqueue(KEY);
      await bench.clock.advance(WINDOW_MS * 10);
      await assertHeld(bench, holder);
    });

    test('of a completed job holds within its window, counted from the publish, and not after it', async (bench) => {
      const holder = await bench.enqueue(KEY);
      await bench.ack(await bench.claimOne(), COMPLETED);
      await bench.clock.advance(WINDOW_MS - 1);
      await assertHeld(bench, holder);
      await bench.clock.advance(1);
      const next = await assertFree(bench);
      assert.equal((await bench.row(holder)).status, 'completed');
      // It is the newer one that holds it.
      await assertHeld(bench, next);
    });

    test('of a job that completes after its window is free at once', async (bench) => {
      await bench.enqueue(KEY);
      const claim = await bench.claimOne({ leaseMs: WINDOW_MS * 9 });
      await bench.clock.advance(WINDOW_MS);
      await assertHeld(bench, claim.id);
      await bench.ack(claim, COMPLETED);
      await assertFree(bench);
    });

    test('of a dead job is free, within its window too', async (bench) => {
      await bench.deadJob(KEY);
      await assertFree(bench);
    });

    test('of a job that died of its leases is free', async (bench) => {
      await bench.enqueue({ ...KEY, maxAttempts: 1 });
      await bench.claimOne();
      await bench.clock.advance(LEASE_MS);
      assert.equal(await bench.store.reclaim({ limit: 10 }), 1);
      await assertFree(bench);
    });

    test('of a cancelled job is free', async (bench) => {
      const id = await bench.enqueue(KEY);
      assert.equal(await bench.store.cancel(id), true);
      await assertFree(bench);
    });

    test('of a purged job is free', async (bench) => {
      await bench.enqueue(KEY);
      assert.equal(await bench.store.purge('mail'), 1);
      await assertFree(bench);
    });

    test('of a dead job stays free, or with whoever took it, when the job is replayed', async (bench) => {
      const first = await bench.deadJob(KEY);
      assert.equal(await bench.store.replay(first), true);
      const second = await assertFree(bench);
      assert.equal(await bench.store.cancel(first), true);
      await assertHeld(bench, second);
    });

    test('is one of an organization and a queue: elsewhere it is another', async (bench) => {
      await bench.enqueue(KEY);
      await bench.enqueue({ ...KEY, organizationId: 'acme' });
      await bench.enqueue({ ...KEY, queue: 'sms' });
      await bench.enqueue({ ...KEY, queue: 'sms', organizationId: 'acme' });
      await bench.enqueue({ idempotencyKey: 'ORDER-7' });
      assert.equal((await bench.rows()).length, 5);
      assert.equal((await bench.enqueued({ ...KEY, queue: 'sms', organizationId: 'acme' })).deduped, true);
      assert.equal((await bench.rows()).length, 5);
    });

    test('given twice in one call makes one job: the first', async (bench) => {
      const jobs = [bench.job({ ...KEY, data: 'first' }), bench.job({ ...KEY, data: 'second' })];
      assert.deepEqual(await bench.store.enqueue(jobs), [
        { id: jobs[0]?.id, deduped: false },
        { id: jobs[0]?.id, deduped: true },
      ]);
      assert.deepEqual(
        (await bench.rows()).map(({ data }) => data),
        ['first'],
      );
    });

    test('[Q9] given by two nodes at once makes one job, and both get its id', async (bench) => {
      for (let trial = 0; trial < 10; trial += 1) {
        const nodes = [bench.store, bench.second, bench.store, bench.second];
        const results = await allServed(nodes.map((node) => bench.enqueued({ idempotencyKey: `pair-${trial}` }, undefined, node)));
        assert.deepEqual([...new Set(results.map(({ id }) => id))], [(await bench.rows()).at(-1)?.id]);
        assert.equal(results.filter(({ deduped }) => deduped === false).length, 1, 'one of them stored it');
        assert.equal((await bench.rows()).length, trial + 1);
      }
    });

    test('[Q9] of a completed job past its window, given by two nodes at once, makes one job', async (bench) => {
      await bench.enqueue(KEY);
      await bench.ack(await bench.claimOne(), COMPLETED);
      await bench.clock.advance(WINDOW_MS);
      const results = await allServed([bench.store, bench.second, bench.store].map((node) => bench.enqueued(KEY, undefined, node)));
      assert.equal(new Set(results.map(({ id }) => id)).size, 1);
      assert.equal(results.filter(({ deduped }) => deduped === false).length, 1);
      assert.deepEqual((await bench.statuses()).sort(), ['completed', 'pending']);
    });

    test('given by two nodes in batches that cross makes one job of each key', async (bench) => {
      const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
      const batch = (of: readonly string[]) => of.map((idempotencyKey) => bench.job({ idempotencyKey }));
      const [left, right] = await Promise.all([bench.store.enqueue(batch(keys)), bench.second.enqueue(batch(keys.toReversed()))]);
      const idOf = new Map(keys.map((key, at) => [key, left[at]?.id]));
      assert.deepEqual(
        right.map(({ id }) => id),
        keys.toReversed().map((key) => idOf.get(key)),
      );
      assert.equal((await bench.rows()).length, 20);
    });

    test('binds no job without one', async (bench) => {
      await bench.fill(3, { data: 'same' });
      assert.equal((await bench.rows()).length, 3);
    });
  });
}

/** A key that is held is no error: whoever gives it is answered. */
async function allServed<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((call) => {
    assert.equal(call.status, 'fulfilled', `refused: ${call.status === 'rejected' ? call.reason : ''}`);
    return (call as PromiseFulfilledResult<T>).value;
  });
}

async function assertHeld(bench: JobBench, holder: string): Promise<void> {
  const before = await bench.rows();
  const result = await bench.enqueued({ ...KEY, data: 'repeat', priority: 1, dueAt: START }, undefined, bench.second);
  assert.deepEqual(result, { id: holder, deduped: true });
  assert.deepEqual(await bench.rows(), before);
}

/** @returns the job that took the key. */
async function assertFree(bench: JobBench): Promise<string> {
  const before = await bench.rows();
  const result = await bench.enqueued(KEY);
  assert.equal(result.deduped, false);
  const rows = await bench.rows();
  assert.deepEqual(rows.slice(0, -1), before);
  assert.equal(rows.at(-1)?.id, result.id);
  return result.id;
}

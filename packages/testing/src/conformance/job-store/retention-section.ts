import assert from 'node:assert/strict';
import type { JobSweepOptions } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { COMPLETED } from './held-job-claims.js';
import { type JobBench, type JobStoreConformanceOptions, jobSection, START, WINDOW_MS } from './job-bench.js';

export function retentionSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'retention', (test) => {
    test('removes completed and cancelled jobs that ended before one time, dead ones that ended before another', async (bench) => {
      const old = await endOneOfEach(bench);
      await bench.clock.advance(1_000);
      const recent = await endOneOfEach(bench);
      const cut = START + 1_000;
      assert.equal(await sweep(bench, { completedBefore: cut, deadBefore: START }), 2);
      assert.deepEqual(await ids(bench), [old.dead, ...Object.values(recent)]);
      assert.equal(await sweep(bench, { completedBefore: START, deadBefore: cut }), 1);
      assert.deepEqual(await ids(bench), Object.values(recent));
      // At the very time is not before it.
      assert.equal(await sweep(bench, { completedBefore: cut, deadBefore: cut }), 0);
      assert.equal(await sweep(bench, { completedBefore: cut + 1, deadBefore: cut + 1 }), 3);
      assert.deepEqual(await ids(bench), []);
    });

    test('never removes a job that has not ended, however old', async (bench) => {
      const running = await bench.enqueue();
      await bench.claimOne();
      const alive = [running, await bench.enqueue(), await bench.enqueue({ dueAt: START + 9 }), await bench.deadJob({ queue: 'sms' })];
      await bench.store.replay(alive[3]!);
      const before = await bench.rows();
      await bench.clock.advance(1_000);
      const all = { completedBefore: bench.clock.now(), deadBefore: bench.clock.now() };
      assert.equal(await bench.store.sweepable(all), false);
      assert.equal(await sweep(bench, all), 0);
      assert.deepEqual(await bench.rows(), before);
    });

    test('takes up to the limit, the rest with the next call', async (bench) => {
      await bench.fill(5);
      await bench.store.ack((await bench.claim()).map((claim) => ({ claim, result: COMPLETED })));
      await bench.fill(2, { queue: 'sms' });
      const dying = await bench.claim({ queue: 'sms' });
      await bench.store.ack(dying.map((claim) => ({ claim, result: { outcome: 'dead', error: 'x' } })));
      await bench.clock.advance(1);
      const all = { completedBefore: START + 1, deadBefore: START + 1, limit: 3 };
      for (const left of [7, 4]) {
        assert.equal((await ids(bench)).length, left);
        assert.equal(await bench.store.sweepable(all), true);
        assert.equal(await sweep(bench, all), 3);
      }
      assert.equal(await sweep(bench, all), 1);
      assert.equal(await sweep(bench, all), 0);
    });

    test('says whether there is something to remove, and removes nothing by that', async (bench) => {
      const none = { completedBefore: START, deadBefore: START };
      assert.equal(await bench.store.sweepable({ completedBefore: START + 9, deadBefore: START + 9 }), false);
      await endOneOfEach(bench);
      const before = await bench.rows();
      assert.equal(await bench.store.sweepable(none), false);
      assert.equal(await bench.store.sweepable({ ...none, completedBefore: START + 1 }), true);
      assert.equal(await bench.store.sweepable({ ...none, deadBefore: START + 1 }), true);
      assert.deepEqual(await bench.rows(), before);
      await sweep(bench, { completedBefore: START + 1, deadBefore: START + 1 });
      assert.equal(await bench.store.sweepable({ completedBefore: START + 1, deadBefore: START + 1 }), false);
    });

    test('keeps a completed job as long as its idempotency key holds (control: without a key it goes)', async (bench) => {
      const keyed = await bench.enqueue({ idempotencyKey: 'k' });
      const plain = await bench.enqueue();
      await bench.store.ack((await bench.claim()).map((claim) => ({ claim, result: COMPLETED })));
      await bench.clock.advance(WINDOW_MS - 1);
      const all = { completedBefore: START + 1, deadBefore: START + 1 };
      assert.equal(await sweep(bench, all), 1);
      assert.equal(await bench.store.get(plain), null);
      assert.equal(await bench.store.sweepable(all), false);
      assert.equal(await bench.enqueue({ idempotencyKey: 'k' }), keyed);
      await bench.clock.advance(1);
      assert.equal(await sweep(bench, all), 1);
      assert.equal(await bench.store.get(keyed), null);
    });

    test('has something to remove when the key of a completed job is free, and not before', async (bench) => {
      await bench.enqueue({ idempotencyKey: 'k' });
      await bench.ack(await bench.claimOne(), COMPLETED);
      const all = { completedBefore: START + 1, deadBefore: START + 1 };
      await bench.clock.advance(WINDOW_MS - 1);
      assert.equal(await bench.store.sweepable(all), false);
      await bench.clock.advance(1);
      assert.equal(await bench.store.sweepable(all), true);
    });

    test('removes a dead and a cancelled job whose key another one may have taken', async (bench) => {
      const dead = await bench.deadJob({ idempotencyKey: 'k' });
      const cancelled = await bench.enqueue({ idempotencyKey: 'k' });
      await bench.store.cancel(cancelled);
      const holder = await bench.enqueue({ idempotencyKey: 'k' });
      await bench.clock.advance(1);
      assert.equal(await sweep(bench, { completedBefore: START + 1, deadBefore: START + 1 }), 2);
      assert.deepEqual([await bench.store.get(dead), await bench.store.get(cancelled)], [null, null]);
      assert.equal(await bench.enqueue({ idempotencyKey: 'k' }), holder);
    });

    test('refuses no limit, more than 10 000, and no times', async (bench) => {
      for (const limit of [0, 10_001, 1.5, Number.NaN]) await refusal(() => sweep(bench, { completedBefore: 1, deadBefore: 1, limit }));
      for (const bad of [{ completedBefore: Number.NaN }, { deadBefore: -1 }]) {
        await refusal(() => sweep(bench, { completedBefore: 1, deadBefore: 1, ...bad }));
        await refusal(() => bench.store.sweepable({ completedBefore: 1, deadBefore: 1, ...bad }));
      }
    });
  });
}

function sweep(bench: JobBench, options: Partial<JobSweepOptions> & Omit<JobSweepOptions, 'limit'>): Promise<number> {
  return bench.store.sweep({ limit: 100, ...options });
}

async function endOneOfEach(bench: JobBench): Promise<{ completed: string; cancelled: string; dead: string }> {
  const completed = await bench.enqueue();
  await bench.ack(await bench.claimOne(), COMPLETED);
  const cancelled = await bench.enqueue();
  await bench.store.cancel(cancelled);
  return { completed, cancelled, dead: await bench.deadJob() };
}

async function ids(bench: JobBench): Promise<string[]> {
  return (await bench.rows()).map(({ id }) => id);
}

import assert from 'node:assert/strict';
import { refusal } from '../refusal.js';
import { type JobStoreConformanceOptions, jobSection, START } from './job-bench.js';

export function promoteSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'promote', (test) => {
    test('[Q1] makes due jobs pending, at their due time and not before', async (bench) => {
      const id = await bench.enqueue({ dueAt: START + 1_000 });
      const before = await bench.row(id);
      await bench.clock.advance(999);
      assert.equal(await bench.store.promote({ limit: 10 }), 0);
      assert.deepEqual(await bench.row(id), before);
      await bench.clock.advance(1);
      assert.equal(await bench.store.promote({ limit: 10 }), 1);
      assert.deepEqual(await bench.row(id), { ...before, status: 'pending', updatedAt: START + 1_000 });
    });

    test('[Q1] leaves the jobs of later among those that are due', async (bench) => {
      const due = await bench.fill(3, { dueAt: START + 10 });
      const later = await bench.fill(3, { dueAt: START + 11, priority: 0 });
      await bench.clock.advance(10);
      assert.equal(await bench.store.promote({ limit: 10 }), 3);
      assert.deepEqual(await bench.claimIds(), due);
      for (const id of later) assert.equal((await bench.row(id)).status, 'scheduled');
    });

    test('takes the earliest ones up to the limit, the rest with the next call', async (bench) => {
      const ids: string[] = [];
      for (const delay of [50, 10, 40, 20, 30]) ids.push(await bench.enqueue({ dueAt: START + delay }));
      await bench.clock.advance(60);
      assert.equal(await bench.store.promote({ limit: 2 }), 2);
      assert.deepEqual(await bench.statuses(), ['scheduled', 'pending', 'scheduled', 'pending', 'scheduled']);
      assert.equal(await bench.store.promote({ limit: 2 }), 2);
      assert.equal(await bench.store.promote({ limit: 2 }), 1);
      assert.equal(await bench.store.promote({ limit: 2 }), 0);
    });

    test('goes over every queue and organization, paused ones too', async (bench) => {
      await bench.enqueue({ dueAt: START + 1 });
      await bench.enqueue({ dueAt: START + 1, queue: 'sms' });
      await bench.enqueue({ dueAt: START + 1, organizationId: 'acme', groupKey: 'g', groupConcurrency: 1 });
      await bench.store.setPaused('sms', true);
      await bench.clock.advance(1);
      assert.equal(await bench.second.promote({ limit: 10 }), 3);
      assert.deepEqual(await bench.statuses(), ['pending', 'pending', 'pending']);
    });

    test('touches nothing but scheduled jobs', async (bench) => {
      await bench.fill(2);
      await bench.claimOne({ limit: 1 });
      await bench.deadJob({ queue: 'sms' });
      const before = await bench.rows();
      await bench.clock.advance(100_000);
      assert.equal(await bench.store.promote({ limit: 10 }), 0);
      assert.deepEqual(await bench.rows(), before);
    });

    test('keeps the place of the due time, however late it comes', async (bench) => {
      const early = await bench.enqueue({ dueAt: START + 10 });
      await bench.clock.advance(20);
      const late = await bench.enqueue();
      await bench.store.promote({ limit: 10 });
      assert.deepEqual(await bench.claimIds(), [early, late]);
    });

    test('uses the time it was given', async (bench) => {
      await bench.enqueue({ dueAt: START + 10 });
      assert.equal(await bench.store.promote({ limit: 10, now: START + 9 }), 0);
      assert.equal(await bench.store.promote({ limit: 10, now: START + 10 }), 1);
    });

    test('by two nodes at once counts each job once', async (bench) => {
      await bench.fill(30, { dueAt: START + 1 });
      await bench.clock.advance(1);
      const counts = await Promise.all([bench.store, bench.second, bench.store].map((node) => node.promote({ limit: 20 })));
      const rest = await bench.store.promote({ limit: 30 });
      assert.equal(
        [...counts, rest].reduce((sum, count) => sum + count, 0),
        30,
      );
    });

    test('refuses no limit, more than 10 000, and no time', async (bench) => {
      for (const limit of [0, -1, 1.5, 10_001, Number.NaN]) await refusal(() => bench.store.promote({ limit }));
      await refusal(() => bench.store.promote({ limit: 1, now: Number.NaN }));
    });
  });
}

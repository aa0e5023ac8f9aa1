import assert from 'node:assert/strict';
import { refusal } from '../refusal.js';
import { type ScheduleStoreConformanceOptions, START, scheduleSection } from './schedule-bench.js';

export function scheduleHistorySection(options: ScheduleStoreConformanceOptions): void {
  scheduleSection(options, 'the history of a schedule', (test) => {
    test('is its own, the latest fire time first, at most so many', async (bench) => {
      for (const name of ['a', 'b']) {
        await bench.save(name);
        const runs = [bench.skipped(START - 10), bench.skipped(START), bench.skipped(START - 20)];
        await bench.fire({ schedule: await bench.dueOne(name), nextFireAt: null, runs });
      }
      const runs = await bench.store.runs('a', 2);
      assert.deepEqual(
        runs.map(({ name, fireAt, createdAt }) => [name, fireAt - START, createdAt]),
        [
          ['a', 0, START],
          ['a', -10, START],
        ],
      );
      assert.deepEqual(await bench.store.runs('nobody', 200), []);
      for (const limit of [0, 201]) await refusal(() => bench.store.runs('a', limit));
    });

    test('is swept by its age, the oldest first, in batches; what waits stays', async (bench) => {
      await bench.busy('daily');
      for (const minute of [1, 2, 3]) {
        await bench.clock.advance(60_000);
        const time = START + minute * 60_000;
        const runs = [minute === 1 ? bench.waiting(time) : bench.skipped(time)];
        await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: time + 60_000, runs });
      }
      const sweep = (createdBefore: number, limit = 100) => bench.store.sweepRuns({ createdBefore, limit });
      assert.equal(await bench.store.sweepableRuns({ createdBefore: START }), false);
      assert.equal(await sweep(START), 0);
      assert.equal(await bench.store.sweepableRuns({ createdBefore: START + 1 }), true);
      const end = START + 999_000;
      assert.equal(await sweep(end, 2), 2);
      assert.deepEqual(await bench.history('daily'), ['60000: waiting', '180000: skipped']);
      assert.equal(await sweep(end), 1);
      assert.equal(await bench.store.sweepableRuns({ createdBefore: end }), false);
      assert.deepEqual(await bench.history('daily'), ['60000: waiting']);
      for (const limit of [0, 10_001]) await refusal(() => sweep(end, limit));
      await refusal(() => bench.store.sweepableRuns({ createdBefore: -1 }));
    });
  });
}

import assert from 'node:assert/strict';
import { type ScheduleBench, type ScheduleStoreConformanceOptions, START, scheduleSection } from './schedule-bench.js';

const [SECOND, THIRD] = [START + 60_000, START + 120_000];

/** A schedule whose first job runs, while two fire times wait and no other is to come. */
async function twoWait(bench: ScheduleBench): Promise<void> {
  await bench.busy('daily');
  await bench.clock.advance(120_000);
  const runs = [bench.waiting(THIRD), bench.waiting(SECOND)];
  assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: null, runs }), 'fired');
}

export function scheduleWaitingSection(options: ScheduleStoreConformanceOptions): void {
  scheduleSection(options, 'a run that waits', (test) => {
    test('makes its schedule due once the job before has ended, not sooner', async (bench) => {
      await twoWait(bench);
      assert.deepEqual(await bench.history('daily'), ['0: published', '60000: waiting', '120000: waiting']);
      assert.equal((await bench.store.get('daily'))?.lastFireAt, THIRD);
      assert.deepEqual(await bench.dueNames(), []);
      await bench.finishJobs();
      assert.deepEqual((await bench.dueOne('daily')).waiting, [SECOND, THIRD]);
    });

    test('is published in its place, one after the other', async (bench) => {
      await twoWait(bench);
      await bench.finishJobs();
      const run = bench.published(SECOND);
      assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: null, runs: [run] }), 'fired');
      assert.deepEqual(await bench.history('daily'), ['0: published', '60000: published', '120000: waiting']);
      const noted = (await bench.store.runs('daily', 200)).find(({ fireAt }) => fireAt === SECOND);
      assert.deepEqual([noted?.jobId, noted?.reason], [run.job.id, null]);
      assert.equal((await bench.store.get('daily'))?.lastFireAt, THIRD);
      // Now the second job is the one before.
      assert.deepEqual(await bench.dueNames(), []);
      await bench.finishJobs();
      assert.deepEqual((await bench.dueOne('daily')).waiting, [THIRD]);
      await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: null, runs: [bench.published(THIRD)] });
      await bench.finishJobs();
      assert.deepEqual(await bench.dueNames(), []);
    });

    test('may be left out after all', async (bench) => {
      await twoWait(bench);
      await bench.finishJobs();
      const runs = [bench.skipped(SECOND), bench.skipped(THIRD)];
      assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: null, runs }), 'fired');
      assert.deepEqual(await bench.history('daily'), ['0: published', '60000: skipped', '120000: skipped']);
      assert.deepEqual(await bench.dueNames(), []);
    });

    test('waits on while its schedule is paused', async (bench) => {
      await twoWait(bench);
      await bench.finishJobs();
      await bench.store.setPaused('daily', true);
      assert.deepEqual([await bench.dueNames(), await bench.nextFireAt()], [[], undefined]);
      await bench.store.setPaused('daily', false);
      assert.deepEqual([await bench.dueNames(), await bench.nextFireAt()], [['daily'], SECOND]);
    });

    test('stays when its schedule is replaced', async (bench) => {
      await twoWait(bench);
      await bench.save('daily', { nextFireAt: THIRD + 60_000 });
      await bench.finishJobs();
      assert.deepEqual((await bench.dueOne('daily')).waiting, [SECOND, THIRD]);
    });
  });

  scheduleSection(options, 'the survey of the jobs', (test) => {
    test('gives the earliest fire time of a schedule that is not paused, past or future', async (bench) => {
      assert.equal(await bench.nextFireAt(), undefined);
      await bench.save('future', { nextFireAt: START + 5 });
      await bench.save('over', { nextFireAt: null });
      assert.equal(await bench.nextFireAt(), START + 5);
      await bench.save('past', { nextFireAt: START - 9 });
      assert.equal(await bench.nextFireAt(), START - 9);
      await bench.second.setPaused('past', true);
      assert.equal(await bench.nextFireAt(), START + 5);
      await bench.second.remove('future');
      assert.equal(await bench.nextFireAt(), undefined);
    });

    test('gives that of a run that waits only once it may go, and agrees with what is due', async (bench) => {
      await twoWait(bench);
      assert.deepEqual([await bench.nextFireAt(), await bench.dueNames()], [undefined, []]);
      await bench.save('other', { nextFireAt: START + 999_000 });
      assert.equal(await bench.nextFireAt(), START + 999_000);
      await bench.finishJobs();
      assert.deepEqual([await bench.nextFireAt(), await bench.dueNames()], [SECOND, ['daily']]);
    });
  });
}

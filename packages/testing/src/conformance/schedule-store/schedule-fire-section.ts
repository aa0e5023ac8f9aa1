import assert from 'node:assert/strict';
import { refusal } from '../refusal.js';
import { QUEUE, type ScheduleStoreConformanceOptions, START, scheduleSection } from './schedule-bench.js';

export function scheduleFireSection(options: ScheduleStoreConformanceOptions): void {
  scheduleSection(options, 'what is due', (test) => {
    test('is what has a fire time that came, the earliest first, at most so many', async (bench) => {
      await bench.save('late', { nextFireAt: START - 1 });
      await bench.save('later', { nextFireAt: START + 1 });
      await bench.save('now');
      await bench.save('over', { nextFireAt: null });
      assert.deepEqual(await bench.dueNames(), ['late', 'now']);
      assert.deepEqual(await bench.dueNames(1), ['late']);
      const [late] = await bench.due();
      assert.deepEqual([late?.unfinishedJobId, late?.waiting, late?.nextFireAt], [null, [], START - 1]);
      await bench.clock.advance(1);
      assert.deepEqual(await bench.dueNames(), ['late', 'now', 'later']);
    });

    test('is nothing that is paused (control: until it is resumed)', async (bench) => {
      await bench.save('daily');
      await bench.store.setPaused('daily', true);
      assert.deepEqual(await bench.dueNames(), []);
      await bench.store.setPaused('daily', false);
      assert.deepEqual(await bench.dueNames(), ['daily']);
    });

    test('names the job before while it has not ended', async (bench) => {
      const id = await bench.busy('daily');
      await bench.clock.advance(60_000);
      assert.equal((await bench.dueOne('daily')).unfinishedJobId, id);
      await bench.finishJobs();
      assert.equal((await bench.dueOne('daily')).unfinishedJobId, null);
    });

    test('is refused without a time and a limit', async (bench) => {
      for (const limit of [0, 1_001, 1.5]) await refusal(() => bench.due(limit));
      await refusal(() => bench.store.due({ now: Number.NaN, limit: 1 }));
    });
  });

  scheduleSection(options, 'a fire', (test) => {
    test('moves the schedule on, notes its runs and stores their jobs', async (bench) => {
      await bench.save('daily', { organizationId: 'acme' });
      const job = { organizationId: 'acme', priority: 7, metadataText: '{"schedule":"daily"}' };
      const runs = [
        bench.published(START, job),
        bench.published(START - 5, { ...job, dueAt: START + 9 }),
        bench.skipped(START - 7),
      ] as const;
      assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: START + 60_000, runs }), 'fired');
      const after = await bench.store.get('daily');
      assert.deepEqual([after?.nextFireAt, after?.lastFireAt, after?.updatedAt], [START + 60_000, START, START]);
      assert.deepEqual(
        (await bench.store.runs('daily', 200)).map(({ createdAt: _, ...run }) => run),
        [
          { name: 'daily', fireAt: START, outcome: 'published', reason: null, jobId: runs[0].job.id },
          { name: 'daily', fireAt: START - 5, outcome: 'published', reason: null, jobId: runs[1].job.id },
          { name: 'daily', fireAt: START - 7, outcome: 'skipped', reason: 'left out', jobId: null },
        ],
      );
      const stored = await bench.jobs.get(runs[0].job.id);
      const expected = { organizationId: 'acme', queue: QUEUE, status: 'pending', priority: 7, dueAt: START, attempts: 0 } as const;
      for (const [field, value] of Object.entries(expected)) assert.equal(stored?.[field as keyof typeof expected], value, field);
      assert.deepEqual([stored?.data, stored?.metadata], [JSON.parse(runs[0].job.dataText), { schedule: 'daily' }]);
      assert.equal((await bench.jobs.get(runs[1].job.id))?.status, 'scheduled');
      const claims = await bench.jobs.claim({
        workerId: 'w',
        queues: [{ queue: QUEUE, limit: 10, leaseMs: 1_000, organizationId: 'acme' }],
      });
      assert.deepEqual(
        claims.map(({ id }) => id),
        [runs[0].job.id],
      );
    });

    test('of two that notice it at once is one', async (bench) => {
      await bench.save('daily');
      const fires = await Promise.all(
        [bench.store, bench.second].map(async (node) => {
          const run = bench.published(START);
          return { node, run, fire: { schedule: await bench.dueOne('daily', node), nextFireAt: START + 60_000, runs: [run] } };
        }),
      );
      const outcomes = await Promise.all(fires.map(({ node, fire }) => bench.fire(fire, node)));
      assert.deepEqual([...outcomes].sort(), ['fired', 'lost']);
      const stored = await Promise.all(fires.map(({ run }) => bench.jobs.get(run.job.id)));
      assert.deepEqual(
        stored.map((job) => job !== null),
        outcomes.map((outcome) => outcome === 'fired'),
      );
      assert.deepEqual(await bench.history('daily'), ['0: published']);
    });

    test('of many schedules by two at once is one each, in whatever order they come', async (bench) => {
      const names = Array.from({ length: 40 }, (_, i) => `s${String(i).padStart(2, '0')}`);
      for (const name of names) await bench.save(name);
      const fireAll = async (node: typeof bench.store, turn: (fires: unknown[]) => unknown[]) => {
        const fires = (await bench.due(100, node)).map((schedule) => ({
          schedule,
          nextFireAt: START + 60_000,
          runs: [bench.published(START)],
        }));
        turn(fires);
        return node.fire(fires);
      };
      // One that another is firing at this moment may be lost to both, and is due still.
      for (let round = 0; (await bench.due()).length > 0; round += 1) {
        assert.ok(round < 10, 'every schedule is fired');
        await Promise.all([fireAll(bench.store, (fires) => fires), fireAll(bench.second, (fires) => fires.reverse())]);
      }
      for (const name of names) assert.deepEqual(await bench.history(name), ['0: published']);
      const stats = await bench.jobs.stats(QUEUE);
      assert.equal(stats[0]?.pending, names.length);
    });

    test('is lost, and writes nothing, once the schedule is another, paused, or gone', async (bench) => {
      const changes = {
        saved: (name: string) => bench.save(name, { nextFireAt: START }),
        paused: (name: string) => bench.store.setPaused(name, true),
        removed: (name: string) => bench.store.remove(name),
      };
      for (const [name, change] of Object.entries(changes)) {
        await bench.save(name);
        const schedule = await bench.dueOne(name);
        await change(name);
        const before = await bench.store.get(name);
        const run = bench.published(START);
        assert.equal(await bench.fire({ schedule, nextFireAt: null, runs: [run] }), 'lost');
        assert.deepEqual(await bench.store.get(name), before);
        assert.deepEqual(await bench.history(name), []);
        assert.equal(await bench.jobs.get(run.job.id), null);
      }
      // Control: nobody touched this one.
      await bench.save('untouched');
      const run = bench.published(START);
      assert.equal(await bench.fire({ schedule: await bench.dueOne('untouched'), nextFireAt: null, runs: [run] }), 'fired');
      assert.equal((await bench.jobs.get(run.job.id))?.status, 'pending');
    });

    test('leaves a fire time alone that has a run, and does not store its job again', async (bench) => {
      const id = await bench.busy('daily');
      await bench.store.remove('daily');
      await bench.save('daily', { nextFireAt: START });
      const [again, other] = [bench.published(START), bench.published(START - 1)];
      assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: null, runs: [again, other] }), 'fired');
      assert.equal(await bench.jobs.get(again.job.id), null);
      assert.equal((await bench.store.runs('daily', 1))[0]?.jobId, id);
      assert.equal((await bench.jobs.get(other.job.id))?.status, 'pending');
    });

    test('of none is nothing', async (bench) => {
      assert.deepEqual(await bench.store.fire([]), []);
    });

    test('of a schedule without runs moves it on', async (bench) => {
      await bench.save('daily');
      assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: START + 1, runs: [] }), 'fired');
      assert.equal((await bench.store.get('daily'))?.nextFireAt, START + 1);
      assert.deepEqual(await bench.history('daily'), []);
    });

    test('outcomes come in the order of the fires, each by itself', async (bench) => {
      for (const name of ['a', 'b', 'c']) await bench.save(name);
      const due = await bench.due();
      await bench.store.setPaused('b', true);
      const fires = due.map((schedule) => ({ schedule, nextFireAt: null, runs: [bench.published(START)] }));
      assert.deepEqual(await bench.store.fire(fires), ['fired', 'lost', 'fired']);
    });

    test('may have more runs than fit into one statement', async (bench) => {
      await bench.save('daily');
      const runs = Array.from({ length: 1_100 }, (_, i) => bench.published(START - i));
      assert.equal(await bench.fire({ schedule: await bench.dueOne('daily'), nextFireAt: null, runs }), 'fired');
      assert.equal((await bench.jobs.stats(QUEUE))[0]?.pending, 1_100);
    });
  });
}

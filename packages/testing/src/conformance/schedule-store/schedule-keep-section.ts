import assert from 'node:assert/strict';
import { refusal } from '../refusal.js';
import { type ScheduleStoreConformanceOptions, START, scheduleSection } from './schedule-bench.js';

export function scheduleKeepSection(options: ScheduleStoreConformanceOptions): void {
  scheduleSection(options, 'schedules', (test) => {
    const spec = {
      timing: { cron: '0 9 * * *', timeZone: 'Europe/Berlin' },
      queue: 'mail',
      data: { text: 'Grüße 😀' },
      misfire: { all: 3 },
    };

    test('says whether its rows survive the process', async (bench) => {
      assert.equal(bench.store.durable, options.durable);
    });

    test('are given back as they were saved', async (bench) => {
      await bench.save('daily', { organizationId: 'acme', spec, nextFireAt: START + 5 });
      const { revision, ...schedule } = (await bench.store.get('daily'))!;
      assert.ok(revision.length > 0);
      const times = { lastFireAt: null, createdAt: START, updatedAt: START };
      const expected = { name: 'daily', organizationId: 'acme', spec, paused: false, nextFireAt: START + 5, ...times };
      assert.deepEqual(schedule, expected);
      assert.deepEqual(await bench.store.list(), [expected]);
      assert.equal(await bench.store.get('weekly'), null);
    });

    test('are listed by name, of one organization or of all', async (bench) => {
      await bench.save('b', { organizationId: 'acme' });
      await bench.save('a');
      await bench.save('Z', { organizationId: 'acme' });
      const names = async (scope?: { organizationId: string }) => (await bench.store.list(scope)).map(({ name }) => name);
      assert.deepEqual(await names(), ['Z', 'a', 'b']);
      assert.deepEqual(await names({ organizationId: 'acme' }), ['Z', 'b']);
      assert.deepEqual(await names({ organizationId: 'nobody' }), []);
    });

    test('replace one of their name, and keep what it was through', async (bench) => {
      await bench.busy('daily');
      await bench.store.setPaused('daily', true);
      await bench.clock.advance(7);
      await bench.save('daily', { organizationId: 'acme', spec, nextFireAt: null });
      const { revision: _, ...schedule } = (await bench.store.get('daily'))!;
      const times = { nextFireAt: null, lastFireAt: START, createdAt: START, updatedAt: START + 7 };
      assert.deepEqual(schedule, { name: 'daily', organizationId: 'acme', spec, paused: true, ...times });
      assert.deepEqual(await bench.history('daily'), ['0: published']);
    });

    test('are not written by whoever read another revision', async (bench) => {
      const wanted = { name: 'daily', organizationId: 'default', spec, nextFireAt: START };
      assert.equal(await bench.store.save(wanted, 'no such revision'), false);
      assert.equal(await bench.store.get('daily'), null);
      const both = await Promise.all([bench.store.save(wanted, null), bench.second.save(wanted, null)]);
      assert.deepEqual(both.sort(), [false, true]);
      const read = (await bench.store.get('daily'))!;
      assert.equal(await bench.second.setPaused('daily', true), true);
      assert.equal(await bench.store.save({ ...wanted, nextFireAt: START + 1 }, read.revision), false);
      assert.equal((await bench.store.get('daily'))?.nextFireAt, START);
      // Control: whoever reads again may write.
      assert.equal(await bench.store.save({ ...wanted, nextFireAt: START + 1 }, (await bench.store.get('daily'))!.revision), true);
    });

    test('are paused and resumed, and say when', async (bench) => {
      await bench.save('daily');
      await bench.clock.advance(3);
      assert.equal(await bench.store.setPaused('daily', true), true);
      const paused = await bench.second.get('daily');
      assert.deepEqual([paused?.paused, paused?.updatedAt], [true, START + 3]);
      assert.equal(await bench.second.setPaused('daily', false), true);
      assert.equal((await bench.store.get('daily'))?.paused, false);
      assert.equal(await bench.store.setPaused('weekly', true), false);
    });

    test('are paused and removed for their organization, and for no other (control: for whoever names none)', async (bench) => {
      await bench.busy('daily');
      await bench.clock.advance(60_000);
      const schedule = await bench.dueOne('daily');
      await bench.fire({ schedule, nextFireAt: START + 120_000, runs: [bench.waiting(START + 60_000)] });
      const before = await bench.store.get('daily');
      const [own, other] = [{ organizationId: before!.organizationId }, { organizationId: 'umbrella' }];
      assert.equal(await bench.store.setPaused('daily', true, other), false);
      assert.equal(await bench.store.remove('daily', other), false);
      assert.deepEqual(await bench.second.get('daily'), before);
      assert.deepEqual(await bench.history('daily'), ['0: published', '60000: waiting']);
      assert.equal(await bench.store.setPaused('daily', true, own), true);
      assert.equal(await bench.second.setPaused('daily', false), true);
      assert.equal(await bench.store.remove('daily', own), true);
      assert.deepEqual(await bench.history('daily'), ['0: published', '60000: skipped']);
      await refusal(() => bench.store.remove('daily', { organizationId: '' }));
      await refusal(() => bench.store.setPaused('daily', true, { organizationId: '' }));
    });

    test('go when they are removed; their history stays, and nothing of it waits', async (bench) => {
      await bench.busy('daily');
      await bench.clock.advance(60_000);
      const schedule = await bench.dueOne('daily');
      await bench.fire({ schedule, nextFireAt: START + 120_000, runs: [bench.waiting(START + 60_000)] });
      assert.equal(await bench.store.remove('daily'), true);
      assert.equal(await bench.store.remove('daily'), false);
      assert.equal(await bench.second.get('daily'), null);
      assert.deepEqual(await bench.history('daily'), ['0: published', '60000: skipped']);
      await bench.finishJobs();
      assert.equal(await bench.nextFireAt(), undefined);
    });

    test('are refused with a name or an organization that is none', async (bench) => {
      await refusal(() => bench.store.get(''));
      await refusal(() => bench.store.save({ name: 'x'.repeat(256), organizationId: 'default', spec, nextFireAt: null }, null));
      await refusal(() => bench.store.save({ name: 'x', organizationId: '', spec, nextFireAt: null }, null));
      await refusal(() => bench.store.list({ organizationId: '' }));
      await refusal(() => bench.store.setPaused('', true));
      await refusal(() => bench.store.remove('\0'));
    });
  });
}

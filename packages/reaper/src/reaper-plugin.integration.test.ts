import { REAPER_DUTY, type ReaperDuty, STORE, type Store } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReaperPluginOptions } from './reaper-options.js';
import { reaperPlugin } from './reaper-plugin.js';
import { REAPER } from './reaper-token.js';
import { askedDuty, hanging, sqlDuty } from './scripted-duty.fixture.js';

const kernels: Kernel[] = [];
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.stop();
});

/** A kernel with a reaper, and a plugin after it that adds the duties. */
async function boot(duties: readonly ReaperDuty[], { store, ...options }: BootOptions = {}) {
  const clock = new ManualClock();
  const kernel = new Kernel({ clock, random: () => 0 }).use(reaperPlugin(options)).use({
    name: 'duties',
    init: ({ container }) => {
      for (const duty of duties) container.add(REAPER_DUTY, duty);
    },
  });
  if (store) kernel.bind(STORE, store);
  kernels.push(kernel);
  await kernel.start();
  const reaper = kernel.resolve(REAPER);
  return { kernel, clock, reaper, settle: () => reaper.settled() };
}

interface BootOptions extends ReaperPluginOptions {
  readonly store?: Store;
}

describe.each(TEST_STORE_NAMES)('reaperPlugin on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  const clock = new ManualClock();
  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock });
    await store.knex.schema.createTable('mess', (table) => {
      table.string('kind');
      table.bigInteger('until');
    });
  });
  afterEach(() => store.knex('mess').delete());
  afterAll(() => database.drop());

  const old = (kind: string) =>
    `CASE WHEN EXISTS (SELECT 1 FROM mess WHERE kind = '${kind}' AND until <= CAST(:now AS BIGINT) - 1000) THEN 1 ELSE 0 END`;
  const statements = () => store.meter.snapshot().statements;

  it('asks one statement per tick for any number of duties, and none without', async () => {
    const duties = ['a', 'b', 'c'].map((kind) => sqlDuty(kind, old(kind)));
    const { kernel, settle } = await boot([...duties, sqlDuty('timeless', 'SELECT COUNT(*) FROM mess'), sqlDuty('never', '0')], { store });
    await settle();
    const before = statements();
    await clock.runFor(300_000, { settle });
    expect(statements() - before).toBe(10);
    await kernel.stop();

    const { settle: settleIdle } = await boot([askedDuty('elsewhere', { work: false }).duty], { store });
    await settleIdle();
    const without = statements();
    await clock.runFor(300_000, { settle: settleIdle });
    expect(statements()).toBe(without);
  });

  it('runs those that have work by the time of the store, and no other', async () => {
    const runs: string[] = [];
    const cleaning = (kind: string) =>
      sqlDuty(kind, old(kind), {
        runs,
        script: async ({ now }) =>
          store
            .knex('mess')
            .where({ kind })
            .where('until', '<=', now - 1_000)
            .delete(),
      });
    const { reaper } = await boot(
      ['a', 'b', 'c'].map((kind) => cleaning(kind)),
      { store, reap: false },
    );
    const now = store.clock.now();
    await store.knex('mess').insert([
      { kind: 'a', until: now - 1_000 },
      { kind: 'b', until: now - 999 },
      { kind: 'c', until: now - 5_000 },
    ]);
    expect(await reaper.tick()).toEqual([
      { duty: 'a', outcome: 'done', count: 1 },
      { duty: 'c', outcome: 'done', count: 1 },
    ]);
    expect(await reaper.tick()).toEqual([]);
    expect(runs).toEqual(['a', 'c']);
    expect(await store.knex('mess').select('kind')).toEqual([{ kind: 'b' }]);
  });

  it('lets no question that the database refuses hold up another', async () => {
    const runs: string[] = [];
    const { reaper } = await boot([sqlDuty('gone', 'SELECT COUNT(*) FROM no_such_table', { runs }), sqlDuty('good', '1', { runs })], {
      store,
      reap: false,
    });
    expect(await reaper.tick()).toMatchObject([
      { duty: 'gone', outcome: 'failed' },
      { duty: 'good', outcome: 'done' },
    ]);
    const before = statements();
    expect(await reaper.tick()).toMatchObject([{ outcome: 'failed' }, { outcome: 'done' }]);
    expect(runs).toEqual(['good', 'good']);
    // The good one, and the other by itself, which is refused before it is counted or not.
    expect(statements() - before).toBeLessThanOrEqual(2);
  });
});

describe('reaperPlugin without a store', () => {
  it('runs duties that tell by themselves', async () => {
    const runs: string[] = [];
    const { duty, state } = askedDuty('memory', { runs });
    const { clock, settle, kernel } = await boot([duty]);
    await clock.runFor(30_000, { settle });
    expect(runs).toEqual(['memory', 'memory']);
    state.work = false;
    await clock.runFor(60_000, { settle });
    expect([runs.length, state.asked]).toEqual([2, 4]);
    expect((await kernel.health()).plugins.reaper).toMatchObject({ status: 'ok', details: { duties: 1, names: ['memory'] } });
  });

  it('refuses to start with one that asks in SQL', async () => {
    await expect(boot([sqlDuty('sql', '1')])).rejects.toThrow('No store answers the questions of sql: load storePlugin');
  });

  it('does nothing by itself where it is told so, but ticks by hand', async () => {
    const { duty, state } = askedDuty('memory');
    const { clock, reaper } = await boot([duty], { reap: false });
    await clock.advance(300_000);
    expect(state.asked).toBe(0);
    expect(await reaper.tick()).toHaveLength(1);
  });

  it('tells its duties to end as soon as the kernel begins to stop, whichever plugin stops first', async () => {
    const { state, script } = hanging();
    const { kernel, clock } = await boot([askedDuty('long', { script }).duty]);
    await clock.advance(0);
    const heard: boolean[] = [];
    kernels.splice(0);
    const stopping = kernel.stop();
    await clock.advance(0);
    heard.push(state.heard);
    await clock.advance(10_000);
    await stopping;
    expect(heard).toEqual([true]);
  });

  it('refuses options that it does not know', () => {
    expect(() => reaperPlugin({ interval: 5 } as never)).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
    expect(() => reaperPlugin({ intervalMs: 999 })).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
  });
});

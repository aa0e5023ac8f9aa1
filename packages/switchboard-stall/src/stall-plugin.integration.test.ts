import { BOARD_WAKES, REAPER_DUTY, STALL, STORE } from '@bellhop/contracts';
import { Kernel, type LogFields, type Logger, silentLogger } from '@bellhop/kernel';
import { REAPER, reaperPlugin } from '@bellhop/reaper';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, ORGANIZATION, ScriptedWakes, StallBench } from './stall-bench.fixture.js';
import { stallPlugin } from './stall-plugin.js';

it('G13: has no options, neither a threshold per hook nor any other', () => {
  expect(() => stallPlugin({ stallAfterMs: 1 } as never)).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
  expect(stallPlugin({}).name).toBe('switchboard-stall');
});

describe.each(['sqlite', 'postgres'] as const)('stallPlugin on %s', (name) => {
  let bench: StallBench;
  const kernels: Kernel[] = [];
  beforeAll(async () => {
    bench = await StallBench.open(name);
  });
  beforeEach(() => bench.clear());
  afterEach(async () => {
    for (const kernel of kernels.splice(0)) await kernel.stop();
  });
  afterAll(() => bench.drop());

  const boot = async () => {
    const infos: [LogFields, string][] = [];
    const logger: Logger = {
      ...silentLogger,
      info: (fields: LogFields, message: string) => void infos.push([fields, message]),
      child: () => logger,
    };
    const wakes = new ScriptedWakes();
    const kernel = new Kernel({ clock: bench.clock, random: () => 0, logger })
      .use(reaperPlugin({ reap: false }))
      .use({ name: 'store' })
      .use({ name: 'switchboard', init: ({ container }) => void container.bind(BOARD_WAKES, wakes) })
      .use(stallPlugin());
    kernel.bind(STORE, bench.store);
    kernels.push(kernel);
    await kernel.start();
    const duties = () => infos.filter(([fields]) => fields.duty === 'stall.nudge');
    return { kernel, wakes, duties, reaper: kernel.resolve(REAPER), stall: kernel.resolve(STALL) };
  };

  it('nudges as a duty of the reaper, logs one line with the count, and nothing while all is well', async () => {
    await bench.stalled();
    const { reaper, wakes, duties, stall } = await boot();
    expect(await reaper.tick()).toEqual([{ duty: 'stall.nudge', outcome: 'done', count: 1 }]);
    await reaper.tick();
    expect(wakes.fired.map(({ reason }) => reason)).toEqual(['stalled']);
    expect(duties()).toEqual([[{ duty: 'stall.nudge', count: 1 }, 'nudged stalled queues']]);
    expect(stall.counts()).toMatchObject([{ queue: 'mail', charged: 1 }]);
    expect(await stall.explain('ep', 'mail', { organizationId: ORGANIZATION })).toMatchObject({ state: 'waiting' });
  });

  it('costs nothing beyond the question of the reaper on an empty board, and one read for a healthy queue', async () => {
    const { reaper } = await boot();
    expect(await bench.statementsOf(() => reaper.tick())).toEqual(['reaper.ask']);
    await bench.stalled();
    await bench.store.knex('board_todo').update({ pending_since: bench.now });
    expect(await bench.statementsOf(() => reaper.tick())).toEqual(['reaper.ask', 'stall.read']);
  });

  it('begins no sweep where hooks are switched off', async () => {
    await bench.stalled();
    const { reaper, wakes } = await boot();
    wakes.hooksOn = false;
    expect(await bench.statementsOf(() => reaper.tick())).toEqual(['reaper.ask']);
  });

  it('hears what became of its wakes while it runs, and after it has stopped: the board stops after it, and drops what is under way', async () => {
    await bench.stalled();
    const { kernel, reaper, wakes } = await boot();
    await reaper.tick();
    const [fired] = wakes.fired;
    wakes.end(fired as never, 'failed');
    await kernel.stop();
    expect(await bench.ledger()).toMatchObject([{ nudges: 0, last_outcome: 'failed' }]);

    const other = await boot();
    await bench.pass(5 * MINUTE);
    await other.reaper.tick();
    await other.kernel.stop();
    expect(await bench.ledger()).toMatchObject([{ nudges: 1, last_outcome: null }]);
    await other.wakes.end(other.wakes.fired[0] as never, 'failed');
    expect(await bench.ledger()).toMatchObject([{ nudges: 0, last_outcome: 'failed' }]);
  });

  it('adds the one duty, after those of the board', async () => {
    const { kernel } = await boot();
    const [duty] = kernel.resolveAll(REAPER_DUTY);
    expect(duty).toMatchObject({ name: 'stall.nudge', order: 200 });
  });
});

import { BOARD, BOARD_WAKES } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { REAPER, reaperPlugin } from '@bellhop/reaper';
import { storePlugin } from '@bellhop/store';
import { ManualClock } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ORGANIZATION } from './board-bench.fixture.js';
import type { SwitchboardPluginOptions } from './switchboard-options.js';
import { switchboardPlugin } from './switchboard-plugin.js';

describe('the plugin switchboard', () => {
  const clock = new ManualClock();
  let kernel: Kernel;

  afterEach(() => kernel?.stop());

  async function started(options: SwitchboardPluginOptions = {}): Promise<Kernel> {
    kernel = new Kernel({ clock })
      .use(storePlugin({ url: 'memory:' }))
      .use(reaperPlugin())
      .use(switchboardPlugin(options));
    await kernel.start();
    return kernel;
  }

  it('binds the board, and puts its duties on the tick of the reaper', async () => {
    const board = (await started()).resolve(BOARD);
    const { endpoint, credential } = await board.vend({ slug: 'worker', queues: ['work'] }, ORGANIZATION);
    const { id } = await board.push(endpoint.slug, { queue: 'work', title: 'Do it' }, ORGANIZATION);
    const consumer = await board.authenticate(credential);
    await consumer.claimNext();
    await clock.advance(300_000);
    await kernel.resolve(REAPER).tick();
    expect(await consumer.getTodo(id)).toMatchObject({ state: 'pending', attempt: 1 });
    expect(await kernel.health()).toMatchObject({ plugins: { switchboard: { status: 'ok', details: { sessions: 0, hooks: true } } } });
  });

  it('is degraded without a reaper', async () => {
    kernel = new Kernel({ clock }).use(storePlugin({ url: 'memory:' })).use(switchboardPlugin());
    await kernel.start();
    expect((await kernel.health()).plugins.switchboard).toMatchObject({
      status: 'degraded',
      reason: expect.stringContaining('Load reaperPlugin'),
    });
  });

  it('says that hooks are switched off', async () => {
    expect((await started({ maxNotifyHooks: 0 })).resolve(BOARD_WAKES).hooksOn).toBe(false);
    await kernel.stop();
    expect((await started()).resolve(BOARD_WAKES).hooksOn).toBe(true);
  });

  it.each([
    [{ maxNotifyHooks: 101 }, /maxNotifyHooks/],
    [{ keepTodosMs: 1 }, /keepTodosMs/],
    [{ stallAfterMs: 1 }, /stallAfterMs/],
    [{ outbound: { allowCidrs: ['everything'] } }, /allowCidrs/],
  ])('refuses %j at once', (options, message) => {
    expect(() => switchboardPlugin(options as SwitchboardPluginOptions)).toThrow(message);
  });

  it('refuses a key that is none, and does not repeat it', () => {
    expect(() => switchboardPlugin({ encryptionKey: 'c2VjcmV0' })).toThrow(/openssl rand -base64 32/);
    expect(() => switchboardPlugin({ encryptionKey: 'c2VjcmV0' })).not.toThrow(/c2VjcmV0/);
  });
});

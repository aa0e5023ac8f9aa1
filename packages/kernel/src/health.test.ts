import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { HEALTH_TIMEOUT_MS, Kernel, type KernelPlugin, type PluginHealth } from './index.js';
import { fail, gate, hang } from './recording-plugin.fixture.js';

const reporting = (name: string, health: NonNullable<KernelPlugin['health']>, members: Partial<KernelPlugin> = {}): KernelPlugin => ({
  ...members,
  name,
  health,
});
const ok = () => ({ status: 'ok' }) as const;

async function started(...plugins: KernelPlugin[]) {
  const kernel = new Kernel();
  for (const plugin of plugins) kernel.use(plugin);
  await kernel.start();
  return kernel;
}

describe('health', () => {
  it('is ok when every plugin is, and says what each says, in start order', async () => {
    const kernel = await started(
      reporting('queue', ok, { requires: ['store'] }),
      reporting('store', async () => ({ status: 'ok', details: { durable: false } })),
      { name: 'silent' },
    );
    const health = await kernel.health();
    expect(health).toEqual({
      status: 'ok',
      state: 'ready',
      plugins: { store: { status: 'ok', details: { durable: false } }, queue: { status: 'ok' }, silent: { status: 'ok' } },
    });
    expect(Object.keys(health.plugins)).toEqual(['store', 'queue', 'silent']);
  });

  it.each([
    ['degraded', false, 'degraded'],
    ['degraded', true, 'degraded'],
    ['failing', false, 'failing'],
    ['failing', true, 'degraded'],
  ] as const)('of a plugin that is %s (optional: %s) makes the kernel %s', async (status, optional, overall) => {
    const kernel = await started(
      reporting('a', ok),
      reporting('b', () => ({ status, reason: 'behind' }), { optional }),
    );
    expect(await kernel.health()).toMatchObject({ status: overall, plugins: { a: { status: 'ok' }, b: { status, reason: 'behind' } } });
  });

  it('that throws is failing, with the reason', async () => {
    const kernel = await started(
      reporting('sync', fail('broken')),
      reporting('async', () => Promise.reject(new Error('cut off'))),
      reporting('fine', ok),
    );
    expect(await kernel.health()).toMatchObject({
      status: 'failing',
      plugins: {
        sync: { status: 'failing', reason: 'health() failed: broken' },
        async: { status: 'failing', reason: 'health() failed: cut off' },
        fine: { status: 'ok' },
      },
    });
  });

  it('that hangs is failing after a bounded time, does not hold up the others, and is not asked again meanwhile', async () => {
    const clock = new ManualClock();
    let asked = 0;
    const slow = gate();
    const kernel = new Kernel({ clock })
      .use(
        reporting('slow', async () => {
          asked += 1;
          await slow.opened;
          return { status: 'ok' };
        }),
      )
      .use(reporting('stuck', hang))
      .use(reporting('fine', ok));
    await kernel.start();
    const first = kernel.health();
    const second = kernel.health();
    let done = false;
    void first.then(() => {
      done = true;
    });
    await clock.advance(HEALTH_TIMEOUT_MS - 1);
    expect(done).toBe(false);
    await clock.advance(1);
    const hung = { status: 'failing', reason: 'health() did not answer within 5000 ms' };
    for (const health of await Promise.all([first, second])) {
      expect(health).toMatchObject({ status: 'failing', plugins: { slow: hung, stuck: hung, fine: { status: 'ok' } } });
    }
    expect(asked).toBe(1);
    slow.open();
    await clock.advance(0);
    const after = kernel.health();
    await clock.advance(HEALTH_TIMEOUT_MS);
    expect((await after).plugins).toMatchObject({ slow: { status: 'ok' }, stuck: hung });
    expect(asked).toBe(2);
  });

  it('that is no health is failing, and says what is allowed', async () => {
    const kernel = await started(
      reporting('odd', () => ({ status: 'fine' }) as unknown as PluginHealth),
      reporting('none', (() => undefined) as unknown as () => PluginHealth),
      reporting('mute', () => ({ status: 'degraded' })),
    );
    expect((await kernel.health()).plugins).toEqual({
      odd: { status: 'failing', reason: 'health() answered status "fine"; allowed: ok, degraded, failing' },
      none: { status: 'failing', reason: 'health() answered status undefined; allowed: ok, degraded, failing' },
      mute: { status: 'degraded', reason: 'no reason given' },
    });
  });

  it('is failing, and asks nobody, before, during and after the life of the kernel', async () => {
    const reached = gate();
    const slow = gate();
    const closing = gate();
    const lastReached = gate();
    const last = gate();
    let asked = 0;
    const kernel = new Kernel()
      .use(
        reporting('a', () => {
          asked += 1;
          return { status: 'ok' };
        }),
      )
      .use({
        name: 'b',
        start: (ctx) => {
          ctx.onReady(() => {
            lastReached.open();
            return last.opened;
          });
          reached.open();
          return slow.opened;
        },
        stop: () => closing.opened,
      });
    expect(await kernel.health()).toEqual({
      status: 'failing',
      state: 'new',
      plugins: { a: { status: 'failing', reason: 'not started' }, b: { status: 'failing', reason: 'not started' } },
    });
    const start = kernel.start();
    await reached.opened;
    expect(await kernel.health()).toMatchObject({
      status: 'failing',
      state: 'starting',
      plugins: { a: { status: 'ok' }, b: { reason: 'not started yet' } },
    });
    slow.open();
    await lastReached.opened;
    expect(await kernel.health()).toMatchObject({
      status: 'failing',
      state: 'starting',
      plugins: { a: { status: 'ok' }, b: { status: 'ok' } },
    });
    last.open();
    await start;
    expect(await kernel.health()).toMatchObject({ status: 'ok', state: 'ready' });
    const before = asked;
    const stop = kernel.stop();
    expect(await kernel.health()).toMatchObject({
      status: 'failing',
      state: 'stopping',
      plugins: { a: { reason: 'stopping' }, b: { reason: 'stopped' } },
    });
    closing.open();
    await stop;
    expect(await kernel.health()).toMatchObject({ status: 'failing', state: 'stopped', plugins: { a: { reason: 'stopped' } } });
    expect(asked).toBe(before);
  });
});

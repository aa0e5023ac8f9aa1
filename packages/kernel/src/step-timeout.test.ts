import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { Kernel, type KernelPlugin, type PluginContext, token } from './index.js';
import { gate, hang, recordingPlugin } from './recording-plugin.fixture.js';

describe('the time a step may take', () => {
  it.each(['init', 'start', 'ready'] as const)('is bounded in %s by stepTimeoutMs, and the error names plugin and step', async (step) => {
    const clock = new ManualClock();
    const log: string[] = [];
    let context: PluginContext | undefined;
    const stuck = (ctx: PluginContext) => {
      context = ctx;
      return hang();
    };
    const members: Partial<KernelPlugin> = step === 'ready' ? { start: (ctx) => ctx.onReady(() => stuck(ctx)) } : { [step]: stuck };
    const kernel = new Kernel({ clock, stepTimeoutMs: 5_000, stopTimeoutMs: 1_000 })
      .use(recordingPlugin(log, 'store'))
      .use(recordingPlugin(log, 'slow', members));
    const started = expect(kernel.start()).rejects.toMatchObject({
      code: 'PLUGIN_TIMEOUT',
      plugin: 'slow',
      step,
      message: `plugin "slow" did not finish ${step} within 5000 ms (stepTimeoutMs).`,
    });
    await clock.advance(4_999);
    expect(context?.signal.aborted).toBe(false);
    expect(log).not.toContain('store.stop');
    await clock.advance(1);
    expect(context?.signal.aborted).toBe(true);
    // Its step still runs: it is given stopTimeoutMs to heed the signal before it is stopped beside it.
    expect(log).not.toContain('slow.stop');
    await clock.advance(1_000);
    await started;
    expect(log.slice(-2)).toEqual(['slow.stop', 'store.stop']);
  });

  it('is 30 s for a step and 10 s for a stop by default', async () => {
    const clock = new ManualClock();
    const kernel = new Kernel({ clock }).use({ name: 'slow', init: hang, stop: hang });
    const started = expect(kernel.start()).rejects.toMatchObject({
      message: expect.stringContaining('init within 30000 ms'),
      errors: [expect.objectContaining({ message: expect.stringContaining('stop within 10000 ms') })],
    });
    await clock.advance(30_000);
    await clock.advance(20_000);
    await started;
  });

  it('is not spent by a step that finishes: no timer is left', async () => {
    const clock = new ManualClock();
    const kernel = new Kernel({ clock }).use(recordingPlugin([], 'a'));
    await kernel.start();
    expect(clock.nextTimerAt()).toBeNull();
    await kernel.stop();
    expect(clock.nextTimerAt()).toBeNull();
  });

  it('is told by the clock alone: an error that speaks of a timeout is none', async () => {
    const kernel = new Kernel().use({ name: 'a', init: () => Promise.reject(new Error('Timed out: did not finish init within 1 ms')) });
    await expect(kernel.start()).rejects.toMatchObject({ code: 'PLUGIN_FAILED', step: 'init' });
  });

  it('leaves no unhandled rejection behind when the step fails after all, and says so in the log', async () => {
    const clock = new ManualClock();
    const warned: unknown[] = [];
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: (fields: unknown) => void warned.push(fields),
      child: () => logger,
    };
    const slow = gate();
    const kernel = new Kernel({ clock, logger, stepTimeoutMs: 100, stopTimeoutMs: 100 }).use({
      name: 'slow',
      async init() {
        await slow.opened;
        throw new Error('much later');
      },
    });
    const started = expect(kernel.start()).rejects.toMatchObject({ code: 'PLUGIN_TIMEOUT' });
    await clock.advance(100);
    await clock.advance(100);
    await started;
    expect(warned).toEqual([]);
    slow.open();
    await new Promise(setImmediate);
    expect(warned).toEqual([{ step: 'init', error: 'much later' }]);
  });

  it('withdraws an optional plugin for good: what its late step binds is refused', async () => {
    const clock = new ManualClock();
    const SERVICE = token<string>('step-timeout.SERVICE');
    const slow = gate();
    const other = gate();
    const refused: unknown[] = [];
    const kernel = new Kernel({ clock, stepTimeoutMs: 100, stopTimeoutMs: 100 })
      .use({
        name: 'slow',
        optional: true,
        async init({ container }) {
          await slow.opened;
          try {
            container.bind(SERVICE, 'too late');
          } catch (error) {
            refused.push(error);
          }
        },
      })
      // Others still bind meanwhile.
      .use({ name: 'other', init: () => other.opened });
    const started = kernel.start();
    await clock.advance(100);
    await clock.advance(100);
    slow.open();
    await clock.advance(0);
    expect(refused).toEqual([
      expect.objectContaining({ code: 'KERNEL_STATE', message: expect.stringMatching(/^plugin "slow" cannot bind .*: it failed/) }),
    ]);
    other.open();
    await started;
    expect(() => kernel.resolve(SERVICE)).toThrow(expect.objectContaining({ code: 'TOKEN_UNBOUND' }));
  });
});

import { describe, expect, it } from 'vitest';
import { Kernel, type KernelPlugin, type LogFields, silentLogger, token } from './index.js';
import { fail, recordingPlugin } from './recording-plugin.fixture.js';

const SERVICE = token<string>('optional-plugin.SERVICE');
const PART = token<string>('optional-plugin.PART');

describe('an optional plugin', () => {
  it.each(['init', 'start', 'ready'] as const)('that fails in %s is stopped and reported; the others go on', async (step) => {
    const log: string[] = [];
    const reported: LogFields[] = [];
    const logger = { ...silentLogger, error: (fields: LogFields) => void reported.push(fields), child: () => logger };
    const members: Partial<KernelPlugin> =
      step === 'ready' ? { start: (ctx) => ctx.onReady(fail('no luck')) } : { [step]: fail('no luck') };
    const kernel = new Kernel({ logger })
      .use(recordingPlugin(log, 'a'))
      .use(recordingPlugin(log, 'metrics', { optional: true, ...members }))
      .use(recordingPlugin(log, 'z'));
    await kernel.start();
    expect(kernel.state).toBe('ready');
    expect(log.filter((line) => line.startsWith('metrics')).at(-1)).toBe('metrics.stop');
    expect(log.filter((line) => !line.startsWith('metrics'))).toEqual(['a.init', 'z.init', 'a.start', 'z.start']);
    expect(reported).toEqual([{ plugin: 'metrics', step, error: `plugin "metrics" failed in ${step}: no luck` }]);
    expect(await kernel.health()).toMatchObject({
      status: 'degraded',
      plugins: { a: { status: 'ok' }, metrics: { status: 'failing', reason: `plugin "metrics" failed in ${step}: no luck` } },
    });
    await kernel.stop();
    expect(log.filter((line) => line === 'metrics.stop')).toHaveLength(1);
  });

  it('that is not optional is fatal in the same place', async () => {
    const kernel = new Kernel().use({ name: 'metrics', init: fail('no luck') });
    await expect(kernel.start()).rejects.toMatchObject({ plugin: 'metrics', step: 'init' });
  });

  it('that fails leaves none of its services behind, and the error of a later resolve says why', async () => {
    const serving: KernelPlugin = {
      name: 'serving',
      optional: true,
      init({ container }) {
        container.bind(SERVICE, 'half made');
        container.add(PART, 'its part');
      },
    };
    const other: KernelPlugin = { name: 'other', init: ({ container }) => container.add(PART, 'another') };
    const failed = new Kernel().use({ ...serving, start: fail('no luck') }).use(other);
    await failed.start();
    expect(() => failed.resolve(SERVICE)).toThrow(
      expect.objectContaining({ code: 'TOKEN_UNBOUND', message: expect.stringContaining('plugin "serving" bound it, and failed') }),
    );
    expect(failed.resolveAll(PART)).toEqual(['another']);
    const fine = new Kernel().use(serving).use(other);
    await fine.start();
    expect(fine.resolve(SERVICE)).toBe('half made');
    expect(fine.resolveAll(PART)).toEqual(['its part', 'another']);
  });

  it('takes down the optional ones that require it, in reverse, and leaves those that merely come after it', async () => {
    const log: string[] = [];
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'base', { optional: true, start: fail('no luck') }))
      .use(recordingPlugin(log, 'middle', { optional: true, requires: ['base'] }))
      .use(recordingPlugin(log, 'top', { optional: true, requires: ['middle'] }))
      .use(recordingPlugin(log, 'beside', { after: ['base'] }));
    await kernel.start();
    expect(log).toEqual([
      'base.init',
      'middle.init',
      'top.init',
      'beside.init',
      'base.start',
      'top.stop',
      'middle.stop',
      'base.stop',
      'beside.start',
    ]);
    expect((await kernel.health()).plugins).toMatchObject({
      top: { status: 'failing', reason: expect.stringContaining('plugin "top" requires base, which failed') },
      beside: { status: 'ok' },
    });
  });

  it('is fatal when one that is not optional requires it', async () => {
    const log: string[] = [];
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'base', { optional: true, init: fail('no luck') }))
      .use(recordingPlugin(log, 'needs', { requires: ['base'] }));
    await expect(kernel.start()).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      plugin: 'base',
      message: 'plugin "needs" is not optional and requires base, which is, and failed: plugin "base" failed in init: no luck',
    });
    expect(log).toEqual(['base.init', 'base.stop']);
  });

  it('that fails to stop after it failed does not fail the kernel, nor its later stop', async () => {
    const kernel = new Kernel().use({ name: 'metrics', optional: true, start: fail('no luck'), stop: fail('stuck') });
    await kernel.start();
    await kernel.stop();
    expect(kernel.state).toBe('stopped');
  });

  it('may lack nothing it requires: what is not loaded is a mistake of whoever assembled the kernel', async () => {
    await expect(new Kernel().use({ name: 'metrics', optional: true, requires: ['http'] }).start()).rejects.toMatchObject({
      code: 'PLUGIN_MISSING',
    });
  });
});

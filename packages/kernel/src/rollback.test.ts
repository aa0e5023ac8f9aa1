import { describe, expect, it } from 'vitest';
import { Kernel, KernelError, type KernelPlugin, type PluginContext } from './index.js';
import { fail, recordingPlugin } from './recording-plugin.fixture.js';

const STEPS = ['init', 'start', 'ready'] as const;

function failingIn(step: (typeof STEPS)[number], message = 'no luck'): Partial<KernelPlugin> {
  return step === 'ready' ? { start: (ctx) => ctx.onReady(fail(message)) } : { [step]: fail(message) };
}

async function failure(kernel: Kernel): Promise<KernelError> {
  const error = await kernel.start().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(KernelError);
  return error as KernelError;
}

describe('a start that fails', () => {
  it.each([
    ['init', ['a.init', 'b.init', 'b.stop', 'a.stop']],
    ['start', ['a.init', 'b.init', 'c.init', 'a.start', 'b.start', 'c.stop', 'b.stop', 'a.stop']],
    ['ready', ['a.init', 'b.init', 'c.init', 'a.start', 'b.start', 'c.start', 'c.stop', 'b.stop', 'a.stop']],
  ] as const)('[K-rollback] in %s stops everything whose init began, the failing one included, in reverse', async (step, expected) => {
    const log: string[] = [];
    // Registered backwards, so that an order of registration would show.
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'c', { requires: ['b'] }))
      .use(recordingPlugin(log, 'b', { requires: ['a'], ...failingIn(step) }))
      .use(recordingPlugin(log, 'a'));
    const error = await failure(kernel);
    expect(log).toEqual(expected);
    expect(error).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'b', step, errors: [] });
    expect(error.message).toContain(`plugin "b" failed in ${step}: no luck`);
    expect(error.cause).toEqual(new Error('no luck'));
    expect(kernel.state).toBe('failed');
  });

  it('[K-rollback] stops nothing when nothing fails', async () => {
    const log: string[] = [];
    await new Kernel().use(recordingPlugin(log, 'a')).start();
    expect(log).toEqual(['a.init', 'a.start']);
  });

  it('[K-rollback] throws the first error, with those of the teardown behind it, and stops the rest all the same', async () => {
    const log: string[] = [];
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'a', { stop: fail('a stuck') }))
      .use(recordingPlugin(log, 'b', { stop: fail('b stuck') }))
      .use(recordingPlugin(log, 'c', { start: fail('first') }));
    const error = await failure(kernel);
    expect(error.message).toContain('plugin "c" failed in start: first');
    expect(error.errors.map(({ plugin, step, message }) => [plugin, step, message])).toEqual([
      ['b', 'stop', 'plugin "b" failed in stop: b stuck'],
      ['a', 'stop', 'plugin "a" failed in stop: a stuck'],
    ]);
    expect(log.slice(-3)).toEqual(['c.stop', 'b.stop', 'a.stop']);
  });

  it('aborts the signals of all', async () => {
    const contexts: PluginContext[] = [];
    const kernel = new Kernel().use({ name: 'a', init: (ctx) => void contexts.push(ctx) }).use({
      name: 'b',
      start() {
        expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false]);
        throw new Error('no luck');
      },
    });
    await failure(kernel);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true]);
  });

  it('leaves a kernel whose stop is harmless', async () => {
    const log: string[] = [];
    const kernel = new Kernel().use(recordingPlugin(log, 'a', { start: fail('no luck'), stop: fail('stuck') }));
    await failure(kernel);
    await kernel.stop();
    await kernel.stop();
    expect(log).toEqual(['a.init', 'a.start', 'a.stop']);
    expect(kernel.state).toBe('failed');
  });

  it('keeps what was thrown, whatever it was', async () => {
    const kernel = new Kernel().use({ name: 'a', init: () => Promise.reject('a text') });
    expect(await failure(kernel)).toMatchObject({ message: 'plugin "a" failed in init: a text', cause: 'a text' });
  });
});

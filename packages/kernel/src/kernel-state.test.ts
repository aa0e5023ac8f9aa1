import { describe, expect, it } from 'vitest';
import { Kernel, type KernelPlugin } from './index.js';

describe('loading plugins', () => {
  it('refuses a second one of the same name, and keeps the first', async () => {
    const started: string[] = [];
    const kernel = new Kernel().use({ name: 'queue', start: () => void started.push('first') });
    expect(() => kernel.use({ name: 'queue', start: () => void started.push('second') })).toThrow(
      expect.objectContaining({ code: 'PLUGIN_DUPLICATE', message: expect.stringContaining('a second plugin named "queue"') }),
    );
    await kernel.start();
    expect(started).toEqual(['first']);
  });

  it.each([
    [Promise.resolve({ name: 'a' }), 'given a plugin is a Promise'],
    [null, 'given a plugin is null'],
    [() => ({ name: 'a' }), 'given a plugin is a function; it must be an object with a name. Call the factory'],
    [{}, 'a plugin whose name is undefined; it must be a text of 1 to 100'],
    [{ name: 'with space' }, 'a plugin whose name is "with space"'],
    [{ name: 'a', requires: 'b' }, 'plugin "a" whose requires is "b"; it must be an array of plugin names'],
    [{ name: 'a', after: [1] }, 'plugin "a" whose after is [1]'],
    [{ name: 'a', stop: true }, 'plugin "a" whose stop is boolean; it must be a function'],
  ])('refuses what is no plugin: %o', (given, message) => {
    expect(() => new Kernel().use(given as KernelPlugin)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});

describe('a kernel that was started', () => {
  it('takes no more plugins, and does not start again', async () => {
    const kernel = new Kernel().use({ name: 'a' });
    const starting = kernel.start();
    expect(() => kernel.use({ name: 'b' })).toThrow(
      expect.objectContaining({ code: 'KERNEL_STATE', message: 'kernel.use(): the kernel is starting; load plugins before start.' }),
    );
    await expect(kernel.start()).rejects.toMatchObject({ code: 'KERNEL_STATE' });
    await starting;
    expect(kernel.state).toBe('ready');
    expect(() => kernel.use({ name: 'b' })).toThrow(/the kernel is ready/);
    await kernel.stop();
    await expect(kernel.start()).rejects.toMatchObject({
      code: 'KERNEL_STATE',
      message: 'kernel.start(): the kernel is stopped; a kernel starts once; make another.',
    });
  });

  it('goes through its states', async () => {
    const seen: string[] = [];
    const kernel: Kernel = new Kernel().use({
      name: 'a',
      init: () => void seen.push(kernel.state),
      stop: () => void seen.push(kernel.state),
    });
    seen.push(kernel.state);
    await kernel.start();
    seen.push(kernel.state);
    await kernel.stop();
    seen.push(kernel.state);
    expect(seen).toEqual(['new', 'starting', 'ready', 'stopping', 'stopped']);
  });
});

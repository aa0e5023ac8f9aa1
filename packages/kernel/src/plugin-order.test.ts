import { describe, expect, it } from 'vitest';
import { Kernel, type KernelPlugin } from './index.js';
import { orderPlugins } from './plugin-order.js';
import { recordingPlugin } from './recording-plugin.fixture.js';

const named = (name: string, links: Pick<KernelPlugin, 'requires' | 'after'> = {}): KernelPlugin => ({ name, ...links });
const order = (...plugins: KernelPlugin[]) => orderPlugins(plugins).map(({ name }) => name);

describe('the order of plugins', () => {
  it('is the order of registration where nothing is said', () => {
    expect(order(named('c'), named('a'), named('b'))).toEqual(['c', 'a', 'b']);
  });

  it('puts what a plugin requires before it', () => {
    expect(order(named('queue', { requires: ['store', 'reaper'] }), named('reaper', { requires: ['store'] }), named('store'))).toEqual([
      'store',
      'reaper',
      'queue',
    ]);
  });

  it('puts what a plugin comes after before it, where present, and does not miss it where absent', () => {
    expect(order(named('host', { after: ['queue', 'absent'] }), named('queue'))).toEqual(['queue', 'host']);
    expect(order(named('host'), named('queue'))).toEqual(['host', 'queue']);
  });

  it('serves a diamond once', () => {
    expect(
      order(
        named('top', { requires: ['left', 'right'] }),
        named('right', { requires: ['base'] }),
        named('left', { requires: ['base'] }),
        named('base'),
      ),
    ).toEqual(['base', 'left', 'right', 'top']);
  });

  it('reports a circle as its path, without what merely leads to it', () => {
    const plugins = [
      named('outside', { requires: ['a'] }),
      named('a', { requires: ['b'] }),
      named('b', { after: ['c'] }),
      named('c', { requires: ['a'] }),
    ];
    expect(() => orderPlugins(plugins)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_CYCLE', message: expect.stringContaining(': a → b → c → a (') }),
    );
    expect(() => orderPlugins([named('a', { requires: ['a'] })])).toThrow(/: a → a \(/);
  });

  it('reports all that is missing in one error, and what is there', () => {
    const plugins = [named('queue', { requires: ['store', 'reaper'] }), named('board', { requires: ['queue', 'stroe'] })];
    expect(() => orderPlugins(plugins)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_MISSING',
        message: expect.stringMatching(/queue requires store, reaper; board requires stroe\. Loaded: queue, board\./),
      }),
    );
  });

  it('is found before any plugin is touched', async () => {
    const log: string[] = [];
    const kernel = new Kernel().use(recordingPlugin(log, 'fine')).use(recordingPlugin(log, 'board', { requires: ['queue'] }));
    await expect(kernel.start()).rejects.toMatchObject({ code: 'PLUGIN_MISSING' });
    expect(log).toEqual([]);
    expect(kernel.state).toBe('failed');
    await new Kernel().use(recordingPlugin(log, 'fine')).start();
    expect(log).toEqual(['fine.init', 'fine.start']);
  });
});

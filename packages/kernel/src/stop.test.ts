import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { Kernel, type PluginContext } from './index.js';
import { fail, gate, hang, recordingPlugin } from './recording-plugin.fixture.js';

const stops = (log: readonly string[]) => log.filter((line) => line.endsWith('.stop'));

describe('stopping', () => {
  it('[K-stop-order] goes in reverse topological order, whatever the order of registration', async () => {
    const log: string[] = [];
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'queue', { requires: ['store'] }))
      .use(recordingPlugin(log, 'store'))
      .use(recordingPlugin(log, 'host', { after: ['queue'] }));
    await kernel.start();
    await kernel.stop();
    expect(stops(log)).toEqual(['host.stop', 'queue.stop', 'store.stop']);
    expect(kernel.state).toBe('stopped');
  });

  it('[K-stop-order] waits for each before the next', async () => {
    const log: string[] = [];
    const slow = gate();
    const kernel = new Kernel().use(recordingPlugin(log, 'store')).use(recordingPlugin(log, 'queue', { stop: () => slow.opened }));
    await kernel.start();
    const stopped = kernel.stop();
    await new Promise(setImmediate);
    expect(stops(log)).toEqual(['queue.stop']);
    expect(kernel.state).toBe('stopping');
    slow.open();
    await stopped;
    expect(stops(log)).toEqual(['queue.stop', 'store.stop']);
  });

  it('aborts every signal before the first stop', async () => {
    const aborted: boolean[] = [];
    let first: PluginContext | undefined;
    const kernel = new Kernel()
      .use({
        name: 'first',
        init(ctx) {
          first = ctx;
        },
      })
      .use({ name: 'last', stop: () => void aborted.push(first?.signal.aborted === true) });
    await kernel.start();
    expect(first?.signal.aborted).toBe(false);
    await kernel.stop();
    expect(aborted).toEqual([true]);
  });

  it('lets no failure skip the rest, and reports all of them', async () => {
    const log: string[] = [];
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'a', { stop: fail('a stuck') }))
      .use(recordingPlugin(log, 'b'))
      .use(recordingPlugin(log, 'c', { stop: fail('c stuck') }));
    await kernel.start();
    await expect(kernel.stop()).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      plugin: 'c',
      step: 'stop',
      message: 'plugin "c" failed in stop: c stuck',
      errors: [expect.objectContaining({ plugin: 'a', message: 'plugin "a" failed in stop: a stuck' })],
    });
    expect(stops(log)).toEqual(['c.stop', 'b.stop', 'a.stop']);
    expect(kernel.state).toBe('stopped');
  });

  it('bounds each stop by stopTimeoutMs', async () => {
    const clock = new ManualClock();
    const log: string[] = [];
    const kernel = new Kernel({ clock, stopTimeoutMs: 2_000 })
      .use(recordingPlugin(log, 'a'))
      .use(recordingPlugin(log, 'b', { stop: hang }))
      .use(recordingPlugin(log, 'c', { stop: hang }));
    await kernel.start();
    const stopped = expect(kernel.stop()).rejects.toMatchObject({
      code: 'PLUGIN_TIMEOUT',
      plugin: 'c',
      step: 'stop',
      message: 'plugin "c" did not finish stop within 2000 ms (stopTimeoutMs).',
      errors: [expect.objectContaining({ code: 'PLUGIN_TIMEOUT', plugin: 'b' })],
    });
    await clock.advance(1_999);
    expect(stops(log)).toEqual(['c.stop']);
    await clock.advance(1);
    expect(stops(log)).toEqual(['c.stop', 'b.stop']);
    await clock.advance(2_000);
    await stopped;
    expect(stops(log)).toEqual(['c.stop', 'b.stop', 'a.stop']);
    expect(clock.nextTimerAt()).toBeNull();
  });

  it('happens once: concurrent and later calls share one promise', async () => {
    const log: string[] = [];
    const kernel = new Kernel().use(recordingPlugin(log, 'a'));
    await kernel.start();
    const first = kernel.stop();
    expect(kernel.stop()).toBe(first);
    await first;
    expect(kernel.stop()).toBe(first);
    await kernel.stop();
    expect(log).toEqual(['a.init', 'a.start', 'a.stop']);
  });

  it('before start does nothing but forbid the start', async () => {
    const log: string[] = [];
    const kernel = new Kernel().use(recordingPlugin(log, 'a'));
    await kernel.stop();
    expect(kernel.state).toBe('stopped');
    await expect(kernel.start()).rejects.toMatchObject({ code: 'KERNEL_STATE' });
    expect(log).toEqual([]);
  });
});

import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { CLOCK, Kernel, type Logger, type PluginContext, silentLogger, token } from './index.js';
import { gate, recordingPlugin } from './recording-plugin.fixture.js';

describe('booting', () => {
  it('inits all, starts all, then runs what was registered for ready, in order', async () => {
    const log: string[] = [];
    const ready = (name: string) => ({ init: (ctx: PluginContext) => ctx.onReady(() => void log.push(`${name}.ready`)) });
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'b', { requires: ['a'], ...ready('b') }))
      .use(recordingPlugin(log, 'a', { ...ready('a') }));
    await kernel.start();
    expect(log).toEqual(['a.init', 'b.init', 'a.start', 'b.start', 'a.ready', 'b.ready']);
  });

  it('waits for each step before the next, and for ready work before start resolves', async () => {
    const log: string[] = [];
    const init = gate();
    const ready = gate();
    const reached = gate();
    const kernel = new Kernel()
      .use(
        recordingPlugin(log, 'a', {
          init: () => init.opened,
          start: (ctx) =>
            ctx.onReady(() => {
              reached.open();
              return ready.opened;
            }),
        }),
      )
      .use(recordingPlugin(log, 'b'));
    const started = kernel.start().then(() => log.push('started'));
    await new Promise(setImmediate);
    expect(log).toEqual(['a.init']);
    init.open();
    await reached.opened;
    expect(kernel.state).toBe('starting');
    expect(log).toEqual(['a.init', 'b.init', 'a.start', 'b.start']);
    ready.open();
    await started;
    expect(kernel.state).toBe('ready');
  });

  it('gives a plugin its context: services, clock, a logger that carries its name, a signal', async () => {
    const children: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      child(fields) {
        children.push(fields);
        return logger;
      },
    };
    const clock = new ManualClock();
    const SERVICE = token<string>('boot.SERVICE');
    let seen: PluginContext | undefined;
    let resolved: string | undefined;
    const kernel = new Kernel({ name: 'front', logger, clock, random: () => 0.5 })
      .use({
        name: 'reader',
        requires: ['maker'],
        start(ctx) {
          seen = ctx;
          resolved = ctx.container.resolve(SERVICE);
        },
      })
      .use({ name: 'maker', init: (ctx) => void ctx.container.bind(SERVICE, 'made') });
    await kernel.start();
    expect(resolved).toBe('made');
    expect(seen?.clock).toBe(clock);
    expect(kernel.resolve(CLOCK)).toBe(clock);
    expect(seen?.random()).toBe(0.5);
    expect(children).toEqual([{ kernel: 'front' }, { plugin: 'maker' }, { plugin: 'reader' }]);
    expect(seen?.signal.aborted).toBe(false);
    const stopped = kernel.stop();
    expect(seen?.signal.aborted).toBe(true);
    await stopped;
  });

  it('keeps `this` of a plugin that is a class, in every step', async () => {
    class Counter {
      readonly name = 'counter';
      calls: string[] = [];
      init() {
        this.calls.push('init');
      }
      start() {
        this.calls.push('start');
      }
      stop() {
        this.calls.push('stop');
      }
      health() {
        return { status: 'ok' as const, details: { calls: this.calls.length } };
      }
    }
    const counter = new Counter();
    const kernel = new Kernel().use(counter);
    await kernel.start();
    expect((await kernel.health()).plugins).toEqual({ counter: { status: 'ok', details: { calls: 2 } } });
    await kernel.stop();
    expect(counter.calls).toEqual(['init', 'start', 'stop']);
  });

  it('refuses ready work that comes too late to be waited for', async () => {
    let context: PluginContext | undefined;
    const kernel = new Kernel().use({
      name: 'late',
      start(ctx) {
        context = ctx;
        ctx.onReady(() => {});
      },
    });
    await kernel.start();
    expect(() => context?.onReady(() => {})).toThrow(expect.objectContaining({ code: 'KERNEL_STATE' }));
  });
});

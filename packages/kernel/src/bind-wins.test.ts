import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { CLOCK, Kernel, LOGGER, type PluginContext, RANDOM, silentLogger, token } from './index.js';

interface Outbox {
  readonly kind: string;
}
const OUTBOX = token<Outbox>('bind-wins.OUTBOX');

const outboxPlugin = (answers: boolean[], made: string[]) => ({
  name: 'messaging',
  init({ container }: PluginContext) {
    answers.push(
      container.bindFactory(OUTBOX, () => {
        made.push('default');
        return { kind: 'default' };
      }),
    );
  },
});

describe('what the deployment binds', () => {
  it('[K-bind-wins] wins over a plugin, which is told so and whose default is never made', async () => {
    const answers: boolean[] = [];
    const made: string[] = [];
    const kernel = new Kernel().use(outboxPlugin(answers, made)).bind(OUTBOX, { kind: 'mine' });
    await kernel.start();
    expect(kernel.resolve(OUTBOX)).toEqual({ kind: 'mine' });
    expect(answers).toEqual([false]);
    expect(made).toEqual([]);
  });

  it('[K-bind-wins] leaves the default of the plugin where the deployment says nothing', async () => {
    const answers: boolean[] = [];
    const made: string[] = [];
    const kernel = new Kernel().use(outboxPlugin(answers, made));
    await kernel.start();
    expect(kernel.resolve(OUTBOX)).toEqual({ kind: 'default' });
    expect(answers).toEqual([true]);
    expect(made).toEqual(['default']);
  });

  it('[K-bind-wins] wins for the kernel itself: its clock, logger and random', async () => {
    const clock = new ManualClock();
    const lines: string[] = [];
    const logger = { ...silentLogger, info: (_: unknown, message: string) => void lines.push(message), child: () => logger };
    let seen: PluginContext | undefined;
    const kernel = new Kernel({ clock: new ManualClock(), random: () => 0.1, stopTimeoutMs: 50 })
      .bind(CLOCK, clock)
      .bind(LOGGER, logger)
      .bind(RANDOM, () => 0.9)
      .use({
        name: 'a',
        init(ctx) {
          seen = ctx;
        },
        stop: () => new Promise<never>(() => {}),
      });
    await kernel.start();
    expect([seen?.clock, seen?.random()]).toEqual([clock, 0.9]);
    expect(lines).toEqual(['ready']);
    const stopped = expect(kernel.stop()).rejects.toMatchObject({ code: 'PLUGIN_TIMEOUT' });
    await clock.advance(50);
    await stopped;
  });

  it('is bound once, and before start', async () => {
    const kernel = new Kernel().bind(OUTBOX, { kind: 'one' });
    expect(() => kernel.bind(OUTBOX, { kind: 'two' })).toThrow(
      expect.objectContaining({
        code: 'TOKEN_BOUND',
        message: expect.stringContaining('cannot bind bind-wins.OUTBOX: it was bound by the deployment'),
      }),
    );
    expect(() => kernel.bind(CLOCK, undefined as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    await kernel.start();
    expect(kernel.resolve(OUTBOX)).toEqual({ kind: 'one' });
    expect(() => kernel.bind(RANDOM, () => 0)).toThrow(
      expect.objectContaining({ code: 'KERNEL_STATE', message: 'kernel.bind(RANDOM): the kernel is ready; bind before start.' }),
    );
  });
});

describe('what plugins bind', () => {
  const binding = (name: string) => ({ name, init: ({ container }: PluginContext) => void container.bind(OUTBOX, { kind: name }) });

  it('is bound once: two plugins that bind one token are refused, both named', async () => {
    await expect(new Kernel().use(binding('first')).use(binding('second')).start()).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      plugin: 'second',
      cause: expect.objectContaining({
        code: 'TOKEN_BOUND',
        message: expect.stringContaining('plugin "second" cannot bind bind-wins.OUTBOX: it was bound by plugin "first".'),
      }),
    });
  });

  it("is not the kernel's clock: that is the deployment's to choose", async () => {
    const kernel = new Kernel().use({ name: 'a', init: ({ container }) => void container.bind(CLOCK, new ManualClock()) });
    await expect(kernel.start()).rejects.toMatchObject({ cause: expect.objectContaining({ code: 'TOKEN_BOUND' }) });
  });

  it('is bound in init: from the first start on, a token answers the same', async () => {
    const kernel = new Kernel().use({ name: 'a', start: ({ container }) => void container.bind(OUTBOX, { kind: 'late' }) });
    await expect(kernel.start()).rejects.toMatchObject({
      step: 'start',
      cause: expect.objectContaining({ code: 'KERNEL_STATE', message: expect.stringContaining('bindings are made in init') }),
    });
  });
});

describe('a token nothing is bound to', () => {
  it('is named, with what to do, in each phase', async () => {
    const kernel = new Kernel();
    const unbound = (message: string) => expect.objectContaining({ code: 'TOKEN_UNBOUND', message: expect.stringContaining(message) });
    expect(() => kernel.resolve(OUTBOX)).toThrow(unbound('Nothing is bound to bind-wins.OUTBOX. Plugins bind in init'));
    await kernel.start();
    expect(() => kernel.resolve(OUTBOX)).toThrow(
      unbound('Load the plugin that binds it, or bind it with kernel.bind(bind-wins.OUTBOX, …)'),
    );
  });
});

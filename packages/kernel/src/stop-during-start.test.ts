import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { Kernel, type KernelPlugin, silentLogger } from './index.js';
import { fail, gate, recordingPlugin } from './recording-plugin.fixture.js';

const interrupted = { code: 'KERNEL_STATE', message: 'kernel.stop() was called before the start was done.' };

describe('a stop during a start', () => {
  it.each(['init', 'start', 'ready'] as const)('in %s ends the start and stops what began, once its step has settled', async (step) => {
    const log: string[] = [];
    const reached = gate();
    const slow = gate();
    const pause = async () => {
      reached.open();
      await slow.opened;
      log.push(`b.${step} settled`);
    };
    const members: Partial<KernelPlugin> = step === 'ready' ? { start: (ctx) => ctx.onReady(pause) } : { [step]: pause };
    const kernel = new Kernel()
      .use(recordingPlugin(log, 'a'))
      .use(recordingPlugin(log, 'b', members))
      .use(recordingPlugin(log, 'c', { requires: ['b'] }));
    const started = expect(kernel.start()).rejects.toMatchObject(interrupted);
    await reached.opened;
    const before = [...log];
    const stopped = kernel.stop();
    await new Promise(setImmediate);
    expect(log).not.toContain('b.stop');
    slow.open();
    await Promise.all([started, stopped]);
    const begun = step === 'init' ? [] : ['c.stop'];
    expect(log.filter((line) => line.endsWith('.stop'))).toEqual([...begun, 'b.stop', 'a.stop']);
    expect(log.indexOf(`b.${step} settled`)).toBeLessThan(log.indexOf('b.stop'));
    // Nothing else was begun meanwhile.
    expect(log.filter((line) => /init$|start$/.test(line))).toEqual(before.filter((line) => /init$|start$/.test(line)));
    expect(kernel.state).toBe('stopped');
  });

  it('does not wait longer than stopTimeoutMs for a step that hangs', async () => {
    const clock = new ManualClock();
    const log: string[] = [];
    const slow = gate();
    const kernel = new Kernel({ clock, stepTimeoutMs: 600_000, stopTimeoutMs: 3_000 })
      .use(recordingPlugin(log, 'a'))
      .use(recordingPlugin(log, 'b', { start: () => slow.opened }));
    const started = expect(kernel.start()).rejects.toMatchObject(interrupted);
    await clock.advance(0);
    expect(log).toContain('b.start');
    const stopped = kernel.stop();
    await clock.advance(2_999);
    expect(log).not.toContain('b.stop');
    await clock.advance(1);
    await Promise.all([started, stopped]);
    expect(log.slice(-2)).toEqual(['b.stop', 'a.stop']);
    // The step that comes to its end after all changes nothing.
    slow.open();
    await clock.advance(0);
    expect((await kernel.health()).plugins).toMatchObject({ b: { reason: 'stopped' } });
  });

  it('lets a plugin that heeds its signal go at once', async () => {
    const log: string[] = [];
    const kernel = new Kernel({ clock: new ManualClock() }).use(
      recordingPlugin(log, 'a', {
        start: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      }),
    );
    const started = expect(kernel.start()).rejects.toMatchObject(interrupted);
    await new Promise(setImmediate);
    await kernel.stop();
    await started;
    expect(log).toEqual(['a.init', 'a.start', 'a.stop']);
  });

  it('that a plugin asks for from its first line works', async () => {
    const log: string[] = [];
    const kernel = new Kernel();
    let stopped: Promise<void> | undefined;
    kernel.use(
      recordingPlugin(log, 'a', {
        init: () => {
          stopped = kernel.stop().then(() => void log.push('stop() done'));
        },
      }),
    );
    await expect(kernel.start()).rejects.toMatchObject(interrupted);
    await stopped;
    expect(log).toEqual(['a.init', 'a.stop', 'stop() done']);
    expect(kernel.state).toBe('stopped');
  });

  it('reports what failed to stop to both callers', async () => {
    const reached = gate();
    const kernel = new Kernel().use({
      name: 'a',
      start: async ({ signal }) => {
        reached.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      stop: fail('stuck'),
    });
    const stuck = { plugin: 'a', step: 'stop', message: 'plugin "a" failed in stop: stuck' };
    const started = expect(kernel.start()).rejects.toMatchObject({ ...interrupted, errors: [expect.objectContaining(stuck)] });
    await reached.opened;
    await expect(kernel.stop()).rejects.toMatchObject(stuck);
    await started;
  });

  it('that is rolling back already waits for the rollback and leaves its errors to the start', async () => {
    const log: string[] = [];
    const reached = gate();
    const slow = gate();
    const kernel = new Kernel().use(
      recordingPlugin(log, 'a', {
        start: fail('no luck'),
        stop: async () => {
          reached.open();
          await slow.opened;
          log.push('a stopped');
        },
      }),
    );
    const started = expect(kernel.start()).rejects.toMatchObject({ code: 'PLUGIN_FAILED', step: 'start' });
    await reached.opened;
    const stopped = kernel.stop().then(() => log.push('stop() done'));
    await new Promise(setImmediate);
    slow.open();
    await Promise.all([started, stopped]);
    expect(log.slice(-3)).toEqual(['a.stop', 'a stopped', 'stop() done']);
    expect(kernel.state).toBe('failed');
  });

  it('spares an optional plugin from counting as failed, and from being stopped twice or out of turn', async () => {
    const log: string[] = [];
    const reached = gate();
    const errors: unknown[] = [];
    const logger = { ...silentLogger, error: (fields: unknown) => void errors.push(fields), child: () => logger };
    const kernel = new Kernel({ logger }).use(recordingPlugin(log, 'base')).use(
      recordingPlugin(log, 'extra', {
        optional: true,
        requires: ['base'],
        start: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('aborted')));
            reached.open();
          }),
      }),
    );
    const started = expect(kernel.start()).rejects.toMatchObject(interrupted);
    await reached.opened;
    await kernel.stop();
    await started;
    expect(log.filter((line) => line.endsWith('.stop'))).toEqual(['extra.stop', 'base.stop']);
    expect(errors).toEqual([]);
    expect((await kernel.health()).plugins).toMatchObject({ extra: { reason: 'stopped' } });
  });

  it.each([[0], [2]])(
    'at any moment of a start of %i plugins begins nothing more, stops what began and leaves the kernel stopped',
    async (count) => {
      const outcomes = new Set<string>();
      for (let turns = 0; turns <= 80; turns += 1) {
        const log: string[] = [];
        const kernel = new Kernel();
        for (let index = 0; index < count; index += 1) kernel.use(recordingPlugin(log, `p${index}`));
        const started = kernel.start().then(
          () => 'started',
          (error: { code: string }) => error.code,
        );
        for (let turn = 0; turn < turns; turn += 1) await null;
        const before = kernel.state;
        log.push('stop()');
        await kernel.stop();
        const outcome = await started;
        expect(outcome).toBe(before === 'ready' ? 'started' : 'KERNEL_STATE');
        expect(kernel.state).toBe('stopped');
        expect(log.slice(log.indexOf('stop()')).filter((line) => /init$|start$/.test(line))).toEqual([]);
        const begun = log.filter((line) => line.endsWith('.init')).map((line) => line.replace('.init', '.stop'));
        expect(log.filter((line) => line.endsWith('.stop'))).toEqual(begun.reverse());
        outcomes.add(outcome);
      }
      // Both sides of the line were tried.
      expect([...outcomes]).toEqual(['KERNEL_STATE', 'started']);
    },
  );
});

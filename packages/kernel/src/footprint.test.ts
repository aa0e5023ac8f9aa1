import { describe, expect, it } from 'vitest';
import { Kernel } from './index.js';
import { gate } from './recording-plugin.fixture.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP', 'beforeExit', 'exit', 'uncaughtException', 'unhandledRejection'] as const;
const listeners = () => SIGNALS.reduce((sum, signal) => sum + process.listenerCount(signal), 0);
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('the footprint of kernels in their process', () => {
  it('holds no signal handlers, however many there are', async () => {
    const before = listeners();
    const kernels = Array.from({ length: 12 }, () => new Kernel().use({ name: 'a' }));
    for (const kernel of kernels) await kernel.start();
    expect(listeners()).toBe(before);
    for (const kernel of kernels) await kernel.stop();
    expect(listeners()).toBe(before);
    const handler = () => {};
    process.on('SIGTERM', handler);
    expect(listeners()).toBe(before + 1);
    process.off('SIGTERM', handler);
  });

  it('keeps no process alive, not even while a step is being timed', async () => {
    const before = timers();
    const reached = gate();
    const slow = gate();
    const kernel = new Kernel().use({
      name: 'slow',
      start: () => {
        reached.open();
        return slow.opened;
      },
    });
    const started = kernel.start();
    await reached.opened;
    expect(timers()).toBe(before);
    const held = setTimeout(() => {}, 30_000);
    expect(timers()).toBe(before + 1);
    clearTimeout(held);
    slow.open();
    await started;
    await kernel.stop();
  });
});

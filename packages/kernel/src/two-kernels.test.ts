import 'reflect-metadata';
import { container as globalContainer } from 'tsyringe';
import { describe, expect, it } from 'vitest';
import { inject, Kernel, type KernelPlugin, token } from './index.js';
import { fail, recordingPlugin } from './recording-plugin.fixture.js';

const SERVICE = token<object>('two-kernels.SERVICE');
const PART = token<string>('two-kernels.PART');

const serving = (part: string): KernelPlugin => ({
  name: 'serving',
  init({ container }) {
    container.bindFactory(SERVICE, () => ({}));
    container.add(PART, part);
  },
});

describe('two kernels in one process', () => {
  it('never meet: each has its own services of the same tokens', async () => {
    const one = new Kernel().use(serving('one'));
    const two = new Kernel().use(serving('two'));
    const empty = new Kernel();
    await Promise.all([one.start(), two.start(), empty.start()]);
    expect(one.resolve(SERVICE)).toBe(one.resolve(SERVICE));
    expect(one.resolve(SERVICE)).not.toBe(two.resolve(SERVICE));
    expect([one.resolveAll(PART), two.resolveAll(PART), empty.resolveAll(PART)]).toEqual([['one'], ['two'], []]);
    expect(() => empty.resolve(SERVICE)).toThrow(expect.objectContaining({ code: 'TOKEN_UNBOUND' }));
  });

  it("find nothing in tsyringe's global container, and leave nothing there", async () => {
    const GLOBAL = token<string>('two-kernels.GLOBAL');
    globalContainer.register(GLOBAL as symbol, { useValue: 'everybody' });
    expect(globalContainer.resolve(GLOBAL as symbol)).toBe('everybody');
    const kernel = new Kernel().use(serving('one'));
    await kernel.start();
    expect(() => kernel.resolve(GLOBAL)).toThrow(expect.objectContaining({ code: 'TOKEN_UNBOUND' }));
    expect(kernel.resolveAll(GLOBAL)).toEqual([]);
    class Curious {
      constructor(@inject(GLOBAL, { isOptional: true }) readonly found: string | undefined) {}
    }
    const constructing = new Kernel().use({ name: 'a', start: ({ container }) => void container.construct(Curious) });
    await expect(constructing.start()).rejects.toMatchObject({ cause: expect.objectContaining({ code: 'TOKEN_UNBOUND' }) });
    expect(globalContainer.isRegistered(SERVICE as symbol)).toBe(false);
  });

  it('do not share a fate: one that fails or stops leaves the other running, even with the same plugin', async () => {
    const log: string[] = [];
    const shared = recordingPlugin(log, 'shared');
    const stays = new Kernel().use(shared);
    const fails = new Kernel().use(shared).use({ name: 'bad', start: fail('no luck') });
    await stays.start();
    await expect(fails.start()).rejects.toMatchObject({ plugin: 'bad' });
    expect([stays.state, fails.state]).toEqual(['ready', 'failed']);
    expect((await stays.health()).status).toBe('ok');
    expect(log).toEqual(['shared.init', 'shared.start', 'shared.init', 'shared.start', 'shared.stop']);
  });
});

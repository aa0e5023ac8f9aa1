import { describe, expect, it } from 'vitest';
import { Kernel, type PluginContext, token } from './index.js';

const DUTY = token<string>('multi-token.DUTY');
const adding = (name: string, ...values: string[]) => ({
  name,
  init({ container }: PluginContext) {
    for (const value of values) container.add(DUTY, value);
  },
});

describe('a multi token', () => {
  it('holds what all plugins added, in order', async () => {
    const kernel = new Kernel().use({ ...adding('late', 'c'), requires: ['early'] }).use(adding('early', 'a', 'b'));
    await kernel.start();
    expect(kernel.resolveAll(DUTY)).toEqual(['a', 'b', 'c']);
  });

  it('is empty when nobody added anything', async () => {
    const kernel = new Kernel();
    await kernel.start();
    expect(kernel.resolveAll(DUTY)).toEqual([]);
  });

  it('is not resolved as one', async () => {
    const kernel = new Kernel().use(adding('a', 'one'));
    await kernel.start();
    expect(() => kernel.resolve(DUTY)).toThrow(
      expect.objectContaining({
        code: 'TOKEN_UNBOUND',
        message: expect.stringContaining('multi-token.DUTY holds many values: use resolveAll'),
      }),
    );
  });

  it('cannot be bound as a single one too, in either order', async () => {
    const single = { name: 'single', init: ({ container }: PluginContext) => void container.bind(DUTY, 'single') };
    const refused = { cause: expect.objectContaining({ code: 'TOKEN_BOUND' }) };
    await expect(new Kernel().use(adding('a', 'one')).use(single).start()).rejects.toMatchObject({ plugin: 'single', ...refused });
    await expect(new Kernel().use(single).use(adding('a', 'one')).start()).rejects.toMatchObject({ plugin: 'a', ...refused });
    await expect(new Kernel().bind(DUTY, 'mine').use(adding('a', 'one')).start()).rejects.toMatchObject({ plugin: 'a', ...refused });
  });

  it('refuses undefined', async () => {
    const kernel = new Kernel().use(adding('a', undefined as unknown as string));
    await expect(kernel.start()).rejects.toMatchObject({ cause: expect.objectContaining({ code: 'INVALID_INPUT' }) });
  });

  it('is seen whole by a plugin that starts first, since adding ends with init', async () => {
    let seen: string[] = [];
    const kernel = new Kernel()
      .use({
        name: 'reaper',
        start({ container }) {
          seen = container.resolveAll(DUTY);
        },
      })
      .use(adding('later', 'a'));
    await kernel.start();
    expect(seen).toEqual(['a']);
  });
});

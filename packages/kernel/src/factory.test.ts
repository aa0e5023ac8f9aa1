import { describe, expect, it } from 'vitest';
import { Kernel, type PluginContext, token } from './index.js';

const started = async (init: (ctx: PluginContext) => void) => {
  const kernel = new Kernel().use({ name: 'maker', init });
  await kernel.start();
  return kernel;
};

describe('a service made by a factory', () => {
  const SERVICE = token<object>('factory.SERVICE');

  it('is made on first resolve, once', async () => {
    let made = 0;
    const kernel = await started(({ container }) => {
      container.bindFactory(SERVICE, () => ({ number: ++made }));
      expect(container.isBound(SERVICE)).toBe(true);
    });
    expect(made).toBe(0);
    const service = kernel.resolve(SERVICE);
    expect(kernel.resolve(SERVICE)).toBe(service);
    expect(made).toBe(1);
  });

  it('survives what is bound after it was made', async () => {
    const OTHER = token<number>('factory.OTHER');
    let first: object | undefined;
    const kernel = await started(({ container }) => {
      container.bindFactory(SERVICE, () => ({}));
      first = container.resolve(SERVICE);
      container.bind(OTHER, 1);
    });
    expect(kernel.resolve(SERVICE)).toBe(first);
  });

  it('may be asynchronous: concurrent resolves get the same promise', async () => {
    const LATER = token<Promise<object>>('factory.LATER');
    const kernel = await started(({ container }) => void container.bindFactory(LATER, async () => ({})));
    const [one, two] = await Promise.all([kernel.resolve(LATER), kernel.resolve(LATER)]);
    expect(one).toBe(two);
  });

  it('may be falsy, and is then still there and not made again', async () => {
    let made = 0;
    for (const value of [null, 0, false, '']) {
      const FALSY = token<unknown>('factory.FALSY');
      const BOUND = token<unknown>('factory.BOUND');
      const kernel = await started(({ container }) => {
        container.bindFactory(FALSY, () => {
          made += 1;
          return value;
        });
        container.bind(BOUND, value);
      });
      expect([kernel.resolve(FALSY), kernel.resolve(FALSY), kernel.resolve(BOUND)]).toEqual([value, value, value]);
    }
    expect(made).toBe(4);
  });

  it('is tried again after it failed', async () => {
    let attempts = 0;
    const kernel = await started(
      ({ container }) =>
        void container.bindFactory(SERVICE, () => {
          attempts += 1;
          if (attempts === 1) throw new Error('not yet');
          return {};
        }),
    );
    expect(() => kernel.resolve(SERVICE)).toThrow('not yet');
    expect(kernel.resolve(SERVICE)).toEqual({});
  });

  it('names the circle when factories resolve one another', async () => {
    const A = token<object>('factory.A');
    const B = token<object>('factory.B');
    const kernel = await started(({ container }) => {
      container.bindFactory(A, () => container.resolve(B));
      container.bindFactory(B, () => container.resolve(A));
    });
    expect(() => kernel.resolve(A)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_CYCLE', message: expect.stringContaining('factory.A → factory.B → factory.A') }),
    );
  });

  it('may be a function or a class: a bound value is never called', async () => {
    const CALLABLE = token<unknown>('factory.CALLABLE');
    for (const value of [() => 'called', class Thing {}, { useValue: 1 }, { useFactory: () => 1 }]) {
      const kernel = await started(({ container }) => void container.bind(CALLABLE, value));
      expect(kernel.resolve(CALLABLE)).toBe(value);
    }
  });
});

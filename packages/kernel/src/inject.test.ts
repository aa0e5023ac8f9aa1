import 'reflect-metadata';
import { singleton } from 'tsyringe';
import { describe, expect, it } from 'vitest';
import {
  CLOCK,
  type Clock,
  type Container,
  inject,
  injectAll,
  injectable,
  Kernel,
  LOGGER,
  type Logger,
  type PluginContext,
  token,
} from './index.js';

const NAME = token<string>('inject.NAME');
const ABSENT = token<string>('inject.ABSENT');
const PART = token<string>('inject.PART');

/** The container of a started kernel where NAME is bound and PART holds two. */
async function container(): Promise<Container> {
  let seen: Container | undefined;
  const kernel = new Kernel().bind(NAME, 'bell').use({
    name: 'a',
    init(ctx: PluginContext) {
      seen = ctx.container;
      seen.add(PART, 'left');
      seen.add(PART, 'right');
    },
  });
  await kernel.start();
  if (!seen) throw new Error('init did not run');
  return seen;
}

@injectable()
class Greeter {
  constructor(
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(NAME) private readonly name: string,
    @injectAll(PART) readonly parts: string[],
    readonly punctuation = '!',
  ) {}

  greet(): string {
    return `Hello ${this.name}${this.punctuation}`;
  }
}

describe('a class that names its tokens', () => {
  it('is constructed with what is bound to them', async () => {
    const within = await container();
    const greeter = within.construct(Greeter);
    expect(greeter).toBeInstanceOf(Greeter);
    expect(greeter.greet()).toBe('Hello bell!');
    expect(greeter.parts).toEqual(['left', 'right']);
    expect([greeter.clock, greeter.logger]).toEqual([within.resolve(CLOCK), within.resolve(LOGGER)]);
    expect(within.construct(Greeter)).not.toBe(greeter);
  });

  it('needs no other decorator, and may inject classes', async () => {
    class Inner {
      constructor(@inject(NAME) readonly name: string) {}
    }
    class Outer {
      constructor(@inject(Inner) readonly inner: Inner) {}
    }
    expect((await container()).construct(Outer).inner.name).toBe('bell');
  });

  it('may do without parameters', async () => {
    class Plain {}
    expect((await container()).construct(Plain)).toBeInstanceOf(Plain);
  });

  it('may allow a token to be absent', async () => {
    class Optional {
      constructor(
        @inject(ABSENT, { isOptional: true }) readonly absent: string | undefined,
        @injectAll(ABSENT, { isOptional: true }) readonly none: string[],
      ) {}
    }
    expect((await container()).construct(Optional)).toEqual({ absent: undefined, none: [] });
  });

  it('is what a factory constructs', async () => {
    const GREETER = token<Greeter>('inject.GREETER');
    const kernel = new Kernel().bind(NAME, 'bell').use({
      name: 'a',
      init({ container: within }) {
        within.add(PART, 'one');
        within.bindFactory(GREETER, () => within.construct(Greeter));
      },
    });
    await kernel.start();
    expect(kernel.resolve(GREETER).greet()).toBe('Hello bell!');
    expect(kernel.resolve(GREETER)).toBe(kernel.resolve(GREETER));
  });
});

describe('a class that cannot be constructed', () => {
  const refusal = async (type: new (...args: never[]) => unknown) => {
    const within = await container();
    try {
      within.construct(type);
    } catch (error) {
      return error as Error & { code: string };
    }
    throw new Error('it was constructed');
  };

  it('for a parameter without a token says which, instead of passing undefined', async () => {
    @injectable()
    class Forgetful {
      constructor(
        @inject(NAME) readonly name: string,
        readonly clock: Clock,
        @inject(LOGGER) readonly logger: Logger,
      ) {}
    }
    expect(await refusal(Forgetful)).toMatchObject({
      code: 'INVALID_INPUT',
      message:
        'Forgetful: constructor parameter #2 of 3 names no token. Write @inject(TOKEN) before each: types are not there at run time.',
    });
  });

  it('for no tokens at all says so, decorated or not', async () => {
    class Bare {
      constructor(
        readonly one: string,
        readonly two: string,
      ) {}
    }
    expect((await refusal(Bare)).message).toContain('parameters #1, #2 of 2 name no token');
  });

  it('finds the same fault in a class it injects', async () => {
    class Inner {
      constructor(readonly name: string) {}
    }
    class Outer {
      constructor(@inject(Inner) readonly inner: Inner) {}
    }
    expect((await refusal(Outer)).message).toContain('Inner: constructor parameter #1 of 1 names no token');
  });

  it('for an inherited constructor asks for one of its own; with one it works', async () => {
    class Louder extends Greeter {}
    expect((await refusal(Louder)).message).toContain('Louder inherits a constructor with injected parameters');
    class Fixed extends Greeter {
      constructor(@inject(NAME) name: string) {
        super(undefined as never, undefined as never, name, [], '?');
      }
    }
    expect((await container()).construct(Fixed).greet()).toBe('Hello bell?');
  });

  it('for an unbound token names class, parameter and token', async () => {
    class Lonely {
      constructor(@inject(ABSENT) readonly absent: string) {}
    }
    expect(await refusal(Lonely)).toMatchObject({
      code: 'TOKEN_UNBOUND',
      message: expect.stringContaining('Lonely, constructor parameter #1: Nothing is bound to inject.ABSENT.'),
    });
    class LonelyToo {
      constructor(@injectAll(ABSENT) readonly absent: string[]) {}
    }
    expect((await refusal(LonelyToo)).message).toContain('nothing was added to inject.ABSENT');
  });

  it('for one value of a multi token says so', async () => {
    class Picky {
      constructor(@inject(PART) readonly part: string) {}
    }
    expect((await refusal(Picky)).message).toContain('inject.PART holds many values');
  });

  it('for a circle of classes gives the path', async () => {
    class Chicken {
      constructor(readonly egg: unknown) {}
    }
    class Egg {
      constructor(@inject(Chicken) readonly chicken: Chicken) {}
    }
    inject(Egg)(Chicken, undefined, 0);
    expect(await refusal(Egg)).toMatchObject({ code: 'PLUGIN_CYCLE', message: expect.stringContaining('Egg → Chicken → Egg') });
  });

  it('for a token that is none says what it is', async () => {
    class Odd {
      constructor(@inject('a string') readonly odd: string) {}
    }
    expect((await refusal(Odd)).message).toContain('names a string as its token');
  });

  it("for a registration in tsyringe's global container refuses to share it between kernels", async () => {
    @singleton()
    class Shared {}
    class User {
      constructor(@inject(Shared) readonly shared: Shared) {}
    }
    expect((await refusal(User)).message).toContain("Shared is registered in tsyringe's global container");
  });
});

/**
 * What a class asks for in its constructor. Only `@inject(TOKEN)` counts: compilers that emit no parameter types (esbuild, tsx, vitest)
 * leave the rest `undefined`, and tsyringe would hand that to the constructor without a word.
 */
import 'reflect-metadata';
import { BellhopError } from './errors.js';

// biome-ignore lint/suspicious/noExplicitAny: a class of any constructor, as tsyringe takes it.
export type Class = new (...args: any[]) => unknown;

export interface InjectedParameter {
  readonly position: number;
  readonly token: symbol | Class;
  /** `@injectAll`: every value of a multi token. */
  readonly multiple: boolean;
  readonly optional: boolean;
}

/** Where tsyringe's parameter decorators keep what they were given: by position, the token or a description of it. */
const INJECTION_TOKENS = 'injectionTokens';

/**
 * @throws BellhopError `INVALID_INPUT` for a parameter without a token, a token that is neither a `token()` nor a class, and a class that
 * inherits the constructor its tokens are written on.
 */
export function injectedParameters(type: Class): InjectedParameter[] {
  const named = namedOn(type);
  if (inheritsInjection(type, named)) {
    throw new BellhopError(
      'INVALID_INPUT',
      `${type.name} inherits a constructor with injected parameters, and injection is not inherited. Give it a constructor that names its tokens and calls super().`,
    );
  }
  const unnamed = Array.from({ length: type.length }, (_, position) => position).filter((position) => !named.has(position));
  if (unnamed.length > 0) {
    throw new BellhopError(
      'INVALID_INPUT',
      `${type.name}: constructor parameter${unnamed.length > 1 ? 's' : ''} ${unnamed.map((position) => `#${position + 1}`).join(', ')} ` +
        `of ${type.length} name${unnamed.length > 1 ? '' : 's'} no token. Write @inject(TOKEN) before each: types are not there at run time.`,
    );
  }
  return [...named.values()].sort((a, b) => a.position - b.position);
}

function namedOn(type: Class): Map<number, InjectedParameter> {
  const metadata: Record<string, unknown> = Reflect.getOwnMetadata(INJECTION_TOKENS, type) ?? {};
  return new Map(Object.entries(metadata).map(([key, value]) => [Number(key), describe(type, Number(key), value)]));
}

function describe(type: Class, position: number, value: unknown): InjectedParameter {
  const described = typeof value === 'object' && value !== null && 'token' in value;
  const { token, multiple, isOptional } = (described ? value : { token: value }) as {
    token: unknown;
    multiple?: boolean;
    isOptional?: boolean;
  };
  if (typeof token !== 'symbol' && typeof token !== 'function') {
    throw new BellhopError(
      'INVALID_INPUT',
      `${type.name}: constructor parameter #${position + 1} names ${token === undefined ? 'undefined (a circular import?)' : `a ${typeof token}`} ` +
        'as its token; it must be one made by token(), or a class.',
    );
  }
  return { position, token: token as symbol | Class, multiple: multiple === true, optional: isOptional === true };
}

function inheritsInjection(type: Class, named: ReadonlyMap<number, InjectedParameter>): boolean {
  if (named.size > 0 || type.length > 0 || /\bconstructor\s*\(/.test(Function.prototype.toString.call(type))) return false;
  const parent: unknown = Object.getPrototypeOf(type);
  return typeof parent === 'function' && parent !== Function.prototype && injectedParameters(parent as Class).length > 0;
}

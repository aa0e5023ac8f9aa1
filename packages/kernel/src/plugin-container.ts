import type { KernelContainer, Owner } from './container.js';
import { BellhopError } from './errors.js';
import type { Container } from './plugin.js';
import { type Token, tokenName } from './token.js';

/** The container as one plugin sees it: what it binds is remembered as its own. */
export function pluginContainer(container: KernelContainer, owner: Owner): Container {
  return {
    bind: (token, value) => container.bind(owner, token, readerOf(token, value)),
    bindFactory: (token, make) => container.bind(owner, token, container.once(token, make)),
    add(token, value) {
      container.add(owner, token, readerOf(token, value)());
    },
    resolve: (token) => container.resolve(token),
    resolveAll: (token) => container.resolveAll(token),
    isBound: (token) => container.isBound(token),
    construct: (type) => container.construct(type),
  };
}

/** @throws BellhopError `INVALID_INPUT` for undefined: a forgotten value, which would surface far from here. */
export function readerOf<T>(token: Token<T>, value: T): () => T {
  if (value === undefined) {
    throw new BellhopError('INVALID_INPUT', `${tokenName(token)} was given undefined as its value; bind null for "none".`);
  }
  return () => value;
}

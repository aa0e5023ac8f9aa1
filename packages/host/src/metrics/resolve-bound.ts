import { BellhopError, type Kernel, type Token } from '@bellhop/kernel';

/** What is bound to the token; undefined where nothing is, as where this process leaves the work to others. */
export function resolveBound<T>(kernel: Kernel, token: Token<T>): T | undefined {
  try {
    return kernel.resolve(token);
  } catch (error) {
    if (error instanceof BellhopError && error.code === 'TOKEN_UNBOUND') return undefined;
    throw error;
  }
}

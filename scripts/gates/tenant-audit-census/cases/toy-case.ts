// Cases that change the small product.
import type { SelfTestCase } from '../../framework/gate.js';
import { type Files, type RepositoryCase, repositoryCase } from '../../framework/temporary-repository.js';
import { PRODUCT, STORE, storeWith } from './fixture-product.js';

type More = Partial<Pick<RepositoryCase, 'args' | 'as' | 'says'>>;

/** The change must be found, and said in these words. */
export function goesRed(name: string, change: Files, says: RegExp, more: More = {}): SelfTestCase {
  return toyCase({ name, expect: 1, change, says, ...more });
}

export function staysGreen(name: string, change: Files, more: More = {}): SelfTestCase {
  return toyCase({ name, expect: 0, change, says: /nothing wrong/, ...more });
}

function toyCase(options: Omit<RepositoryCase, 'base' | 'shape' | 'change'> & { readonly change: Files }): SelfTestCase {
  const shape = Object.entries(options.change).map(
    ([path, text]) => `${text === null ? 'D' : PRODUCT[path] === undefined ? 'A' : 'M'}\t${path}`,
  );
  return repositoryCase({ base: PRODUCT, shape, ...options });
}

/** The store with a method more, `more(id, organizationId)`. */
export function method(body: string): Files {
  return { [STORE]: storeWith(`  async more(id: string, organizationId: string) {\n    ${body}\n  }\n`) };
}

/** A file more, which knows the store. */
export function extra(body: string): Files {
  return { 'packages/notes/src/extra.ts': `import type { Store } from '@bellhop/contracts';\n${body}\n` };
}

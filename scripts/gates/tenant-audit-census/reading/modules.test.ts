import { describe, expect, it } from 'vitest';
import { Modules } from './modules.js';
import { parseSource } from './source-file.js';

const TEXTS = {
  'packages/a/src/index.ts':
    "export { one as uno } from './one.js'; export * from './two.js'; export * as all from './two.js'; export * from 'elsewhere';",
  'packages/a/src/one.ts': 'export const one = 1; const hidden = 2; export { hidden as shown }; export default function named() {}',
  'packages/a/src/two.mts':
    "import { one } from './one.js'; export { one }; export const two = 2; export default 3; export * from './index.js';",
  'packages/a/src/sub/index.ts': 'export const sub = 1;',
};

function found(from: string, name: string) {
  const files = Object.entries(TEXTS).map(([path, text]) => parseSource(path, text));
  const importer = parseSource('packages/b/src/b.ts', '');
  const exported = new Modules([...files, importer]).imported({ kind: 'import', file: importer, name, from, imported: name });
  if (!exported) return undefined;
  if (exported.kind === 'outside') return `${exported.name} outside, in ${exported.from}`;
  return `${exported.kind === 'name' ? exported.name : exported.kind} in ${exported.file.path.replace('packages/a/src/', '')}`;
}

describe('an import', () => {
  it.each([
    ['@bellhop/a', 'uno', 'one in one.ts'],
    ['@bellhop/a', 'two', 'two in two.mts'],
    ['@bellhop/a', 'one', 'one in one.ts'],
    ['@bellhop/a', 'all', 'module in two.mts'],
    ['@bellhop/a', '*', 'module in index.ts'],
    ['@bellhop/a/sub', 'sub', 'sub in sub/index.ts'],
    ['../../a/src/one.js', 'shown', 'hidden in one.ts'],
    ['../../a/src/one.js', 'default', 'named in one.ts'],
    ['../../a/src/two.mjs', 'default', 'expression in two.mts'],
    ['@bellhop/c', 'x', 'x outside, in @bellhop/c'],
    ['pg', 'x', 'x outside, in pg'],
    ['../../a/src/one.js', 'hidden', undefined],
    ['@bellhop/a', 'nowhere', undefined],
  ])('from %s of %s is %s', (from, name, where) => expect(found(from, name)).toBe(where));
});

import { describe, expect, it } from 'vitest';
import { readImports } from './read-imports.js';

const read = (text: string, path = 'x.ts') => readImports(path, text);
const one = (text: string) => {
  const found = read(text);
  expect(found, text).toHaveLength(1);
  return found[0]!;
};

describe('what a file imports', () => {
  it.each([
    [`import 'a';`, { loads: true, erased: false, names: [] }],
    [`import one, { two as three, type Four } from 'a';`, { loads: true, erased: false, names: ['default', 'two', 'Four'] }],
    [`import * as all from 'a';`, { loads: true, names: ['*'] }],
    [`import type { One } from 'a';`, { loads: false, erased: true, names: ['One'] }],
    // Kept as `import {} from 'a'` by verbatimModuleSyntax.
    [`import { type One } from 'a';`, { loads: true, erased: false, names: ['One'] }],
    [`export { one as two } from 'a';`, { loads: true, erased: false, names: ['one'] }],
    [`export type { One } from 'a';`, { loads: false, erased: true, names: ['One'] }],
    [`export * from 'a';`, { loads: true, erased: false, names: ['*'] }],
    [`export * as all from 'a';`, { loads: true, names: ['*'] }],
    [`export type * from 'a';`, { loads: false, erased: true }],
    [`import a = require('a');`, { loads: true, erased: false }],
    [`import type a = require('a');`, { loads: false, erased: true }],
    [`let x: import('a').One.Two<string>;`, { loads: false, erased: true, names: ['One'] }],
    [`let x: typeof import('a');`, { loads: false, erased: true, names: ['*'] }],
    [`declare module 'a' { interface One {} }`, { loads: false, erased: true }],
    [`/// <reference types="a" />`, { loads: false, erased: true }],
    [`await import('a');`, { loads: false, erased: false }],
    ['await import(`a`);', { loads: false }],
    [`require('a');`, { loads: false }],
    [`require.resolve('a');`, { loads: false }],
    [`import.meta.resolve('a');`, { loads: false }],
  ])('%s', (text, expected) => {
    expect(one(text)).toMatchObject({ specifier: 'a', line: 1, ...expected });
  });

  it('finds a require function by whatever name it was made, and one that is used where it is made', () => {
    const found = read(
      [
        `import { createRequire as make } from 'node:module';`,
        `const early = () => load('a');`,
        `const load = make(import.meta.url);`,
        `load.resolve('b');`,
        `make(import.meta.url)('c');`,
        `module.createRequire(import.meta.filename).resolve('d');`,
      ].join('\n'),
    );
    expect(found.map(({ specifier, line }) => [specifier, line])).toEqual([
      ['node:module', 1],
      ['a', 2],
      ['b', 4],
      ['c', 5],
      ['d', 6],
    ]);
  });

  it.each([
    ['import(name)', 'name'],
    [`import(\`./\${name}.js\`)`, `\`./\${name}.js\``],
    [`import('./' +\n  name)`, `'./' + name`],
    ['require(name)', 'name'],
    ['require(...names)', '...names'],
    ['require()', 'require()'],
    ['import.meta.resolve(name)', 'name'],
    [`module.createRequire('/elsewhere/')('a')`, `module.createRequire('/elsewhere/')`],
  ])('knows what it cannot know: %s', (text, written) => {
    expect(read(text)).toContainEqual(expect.objectContaining({ specifier: null, written }));
  });

  it('gives a reference to a file the form of a relative import', () => {
    expect(one(`/// <reference path="types.d.ts" />`).specifier).toBe('./types.d.ts');
    expect(one(`/// <reference path="../types.d.ts" />`).specifier).toBe('../types.d.ts');
  });

  it.each([
    `// import 'a';`,
    `const text = "import 'a'";`,
    `const text = \`import(\${name})\``,
    `/// <reference lib="es2023" />`,
    `resolve('a');`,
    `path.resolve('a');`,
    `registry.require('a');`,
    `namespace a { export const b = 1; }`,
    `declare global { interface A {} }`,
    `export { a };`,
    `import a = b.c;`,
  ])('takes nothing else for an import: %s', (text) => {
    expect(read(text)).toEqual([]);
  });

  it('says the line of each', () => {
    expect(read(`\n\nimport 'a';\n\nexport * from 'b';\n`).map(({ line }) => line)).toEqual([3, 5]);
  });

  it('refuses what it cannot parse, with the place', () => {
    expect(() => read('export {};\nimport {', 'packages/a/src/b.ts')).toThrow(/^packages\/a\/src\/b\.ts:2: cannot be parsed/);
  });
});

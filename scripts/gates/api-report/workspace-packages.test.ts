import { describe, expect, it } from 'vitest';
import { readPackage } from './workspace-packages.js';

const entry = (name: string) => ({ 'bellhop-source': `./src/${name}.ts`, types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
const read = (manifest: object) => readPackage('kit', JSON.stringify({ name: '@acme/kit', exports: { '.': entry('index') }, ...manifest }));

describe('a package', () => {
  it('has an entry for each thing that may be imported', () => {
    const exports = { '.': entry('index'), './set-up': entry('set-up/main'), './package.json': './package.json' };
    expect(read({ exports }).entries).toEqual([
      { specifier: '@acme/kit', source: 'packages/kit/src/index.ts' },
      { specifier: '@acme/kit/set-up', source: 'packages/kit/src/set-up/main.ts' },
    ]);
  });

  it('is published unless it is private', () => {
    expect([read({}).published, read({ private: true }).published]).toEqual([true, false]);
  });

  it('needs what it declares, and can do without what is optional', () => {
    const { dependencies } = read({
      dependencies: { knex: '*', pg: '*' },
      devDependencies: { vitest: '*', tsx: '*' },
      peerDependencies: { vitest: '*', zod: '*' },
      peerDependenciesMeta: { vitest: { optional: true } },
      optionalDependencies: { pg: '*' },
    });
    expect(Object.fromEntries(dependencies)).toEqual({
      knex: 'required',
      pg: 'optional',
      vitest: 'optional',
      tsx: 'required',
      zod: 'required',
    });
  });

  it.each([
    ['no name', { name: undefined }, /packages\/kit\/package\.json has no name/],
    ['no exports', { exports: undefined }, /has no exports/],
    ['exports of one file', { exports: './dist/index.js' }, /has no exports/],
    ['an entry without a source', { exports: { '.': { types: './dist/index.d.ts' } } }, /@acme\/kit names no source/],
    ['an entry that is a file', { exports: { './x': './dist/x.js' } }, /@acme\/kit\/x names no source/],
    [
      'types of another source',
      { exports: { '.': { ...entry('index'), types: './dist/main.d.ts' } } },
      /"\.\/dist\/main\.d\.ts", but \.\/src\/index\.ts is built to/,
    ],
    ['no types', { exports: { '.': { 'bellhop-source': './src/index.ts' } } }, /has its types at undefined/],
  ])('with %s is refused', (_what, manifest, says) => {
    expect(() => read(manifest)).toThrow(says);
  });

  it('that is no JSON is refused with its path', () => {
    expect(() => readPackage('kit', '{')).toThrow(/^packages\/kit\/package\.json cannot be read: /);
  });
});

import { describe, expect, it } from 'vitest';
import { catalogOf, touchedFields } from './manifest-fields.js';

const none = new Map<string, string>();
const touched = (before: Record<string, unknown> | undefined, after: Record<string, unknown>) =>
  touchedFields(before, after, { before: none, after: none });

describe('fields that users notice', () => {
  it.each([
    ['dependencies', { a: '^1' }, { a: '^2' }],
    ['peerDependencies', undefined, { a: '^2' }],
    ['peerDependenciesMeta', {}, { a: { optional: true } }],
    ['bin', { a: './a.js' }, { a: './b.js' }],
    ['engines', { node: '>=20' }, { node: '>=22' }],
    ['files', ['dist'], ['bin', 'dist']],
    ['exports', { '.': { types: 'a', default: 'b' } }, { '.': { default: 'b', types: 'a' } }],
    ['private', true, undefined],
  ])('%s', (field, before, after) => expect(touched({ [field]: before }, { [field]: after })).toEqual([field]));

  it.each([
    ['version', '1.0.0', '1.1.0'],
    ['devDependencies', {}, { a: '^1' }],
    ['scripts', {}, { build: 'tsc' }],
    ['dependencies', { a: '^1', b: '^1' }, { b: '^1', a: '^1' }],
    ['files', ['bin', 'dist'], ['dist', 'bin']],
  ])('and not %s', (field, before, after) => expect(touched({ [field]: before }, { [field]: after })).toEqual([]));

  it('are those of a package that is new', () => expect(touched(undefined, { bin: 'a', scripts: {} })).toEqual(['bin']));

  it('follow the catalog', () => {
    const manifest = { dependencies: { knex: 'catalog:', zod: '^4' } };
    const catalogs = (before: string, after: string) => ({ before: new Map([['knex', before]]), after: new Map([['knex', after]]) });
    expect(touchedFields(manifest, manifest, catalogs('^3', '^4'))).toEqual(['dependencies']);
    expect(touchedFields(manifest, manifest, catalogs('^3', '^3'))).toEqual([]);
    expect(touchedFields(manifest, { dependencies: { knex: '^3', zod: '^4' } }, catalogs('^3', '^3'))).toEqual([]);
  });
});

describe('a catalog', () => {
  it('gives a range by name', () => {
    const text = `packages:\n  - packages/*\n# note\ncatalog:\n  "@types/node": ^20.19.0\n\n  knex: '>=3 <4' # why\nonlyBuiltDependencies:\n  - esbuild\n`;
    expect([...catalogOf(text)]).toEqual([
      ['@types/node', '^20.19.0'],
      ['knex', '>=3 <4'],
    ]);
    expect(catalogOf('')).toEqual(none);
  });

  it.each([
    ['catalog:\n  - knex\n', /pnpm-workspace\.yaml:2: /],
    ['catalog:\n  knex:\n    a: 1\n', /pnpm-workspace\.yaml:2: /],
    ['catalog: { knex: ^3 }\n', /pnpm-workspace\.yaml:1: /],
    ['catalogs:\n  old:\n    knex: ^2\n', /named catalogs are not read/],
  ])('%j is refused', (text, message) => expect(() => catalogOf(text)).toThrow(message));
});

// What the gate must call wrong, and what it must let pass, each as a real repository. Its green cases are the other half of a red one beside them.
import type { SelfTestCase } from '../framework/gate.js';
import { type Files, repositoryCase } from '../framework/temporary-repository.js';
import { realSources, SMALL_WORKSPACE } from './self-test-workspace.js';

const at = (path: string) => `packages/${path}`;

/** The small workspace, and one change that must be red, and what is said of it; green where nothing is. */
function change(name: string, files: Files, says?: RegExp, as: 'committed' | 'uncommitted' = 'committed') {
  return repositoryCase({
    name: `${says ? 'red' : 'green'}: ${name}`,
    expect: says ? 1 : 0,
    base: SMALL_WORKSPACE,
    change: files,
    as,
    shape: Object.entries(files).map(
      ([path, text]) => `${text === null ? 'D' : Object.hasOwn(SMALL_WORKSPACE, path) ? 'M' : 'A'}\t${path}`,
    ),
    ...(says ? { says } : {}),
  });
}

/** `rest` added to a file of the small workspace. */
const plus = (path: string, rest: string): Files => ({ [path]: `${SMALL_WORKSPACE[path]}${rest}\n` });
const kernel = at('kernel/src/clock.ts');
const store = at('store/src/index.ts');

/** Every way to name a module, each on a line of its own and each going up from the kernel. */
const EVERY_WAY = [
  `/// <reference types="@bellhop/store" />`,
  `import '@bellhop/store';`,
  `import { store } from '@bellhop/store';`,
  `import type { Store } from '@bellhop/store';`,
  `import equal = require('@bellhop/store');`,
  `export { store } from '@bellhop/store';`,
  `export type * from '@bellhop/store';`,
  `export type InPlace = import('@bellhop/store').Store;`,
  `declare module '@bellhop/store' { interface Store { more: 1 } }`,
  `export const dynamic = () => import('@bellhop/store');`,
  'export const template = () => import(`@bellhop/store`);',
  `export const resolved = import.meta.resolve('@bellhop/store');`,
  `const load = createRequire(import.meta.url); load('@bellhop/store');`,
  `load.resolve('@bellhop/store');`,
  `createRequire(import.meta.url)('@bellhop/store');`,
  `import { createRequire } from 'node:module';`,
];

export const layersSelfTest: readonly SelfTestCase[] = [
  change('every layer, tests with the test kit, scripts with a face', plus(kernel, '// A word more.')),

  change(
    'up',
    plus(kernel, `import { store } from '@bellhop/store';`),
    /clock\.ts:4: imports @bellhop\/store.*kernel → store goes up: kernel may import no other/,
  ),
  change(
    'up by every way to name a module',
    { [at('kernel/src/every-way.ts')]: EVERY_WAY.join('\n') },
    // All but the last, which is there for those before it.
    new RegExp(
      `${EVERY_WAY.slice(0, -1)
        .map((_, index) => `.*every-way\\.ts:${index + 1}: .*goes up.*\n.*\n`)
        .join('')}.*; ${EVERY_WAY.length - 1} found`,
    ),
  ),
  change(
    'sideways',
    plus(at('service-messaging/src/index.ts'), `import { queue } from '@bellhop/service-queue';`),
    /service-messaging → service-queue goes sideways/,
  ),
  change('up in a test', { [at('store/src/up.test.ts')]: `import '@bellhop/host';` }, /store → host goes up/),
  change(
    'up in a file not yet committed',
    { [at('kernel/src/other.ts')]: `import '@bellhop/store';` },
    /other\.ts:1: .*goes up/,
    'uncommitted',
  ),
  change(
    'up in a manifest',
    { [at('store/package.json')]: SMALL_WORKSPACE[at('store/package.json')]!.replace('contracts', 'host') },
    /store\/package\.json:\d+: depends on @bellhop\/host: store → host goes up/,
  ),

  change('product imports the test kit', plus(store, `import '@bellhop/testing';`), /testing is for tests and fixtures/),
  change(
    'product imports a fixture',
    plus(kernel, `import './clock.fixture.js';`),
    /product source imports "\.\/clock\.fixture\.js", which is not published/,
  ),
  change(
    'the test kit imports a plugin',
    plus(at('testing/src/index.ts'), `import '@bellhop/service-messaging';`),
    /testing may import kernel, contracts, loop, store and nothing else/,
  ),
  change(
    'the loop takes more than a clock type',
    plus(at('loop/src/index.ts'), `import { clock } from '@bellhop/kernel';`),
    /imports clock from @bellhop\/kernel as values: the loop runs on any clock/,
  ),
  change(
    'a package imports itself by its name',
    plus(store, `export type Own = typeof import('@bellhop/store');`),
    /does not import itself/,
  ),

  change(
    'leaves the package',
    plus(store, `import '../../kernel/src/clock.js';`),
    /leaves the package, for packages\/kernel\/src\/clock\.js/,
  ),
  change('leaves the workspace', plus(store, `import '/usr/lib/x.js';`), /a place on one machine/),
  change('names no file', plus(store, `import './gone.js';`), /names no file/),
  change('the inside of another', plus(store, `import '@bellhop/kernel/src/clock.js';`), /reaches into the inside of @bellhop\/kernel/),
  change('another face of another', plus(store, `import '@bellhop/kernel/setup';`)),
  change(
    'a script reaches into a package',
    plus('scripts/tool.ts', `import '../packages/host/src/index.js';`),
    /tool\.ts:4: .*reaches into a package/,
  ),

  change(
    'not declared',
    plus(store, `import 'vitest';`),
    /imports "vitest", which packages\/store\/package\.json does not declare as a dependency/,
  ),
  change('not declared, a type', plus(store, `import type { Pool } from 'pg';`), /imports "pg", which/),
  change(
    'not declared, of the workspace',
    plus(at('host/src/index.ts'), `import '@bellhop/store';`),
    /imports "@bellhop\/store", which packages\/host/,
  ),
  change('declared for development, in product', plus(store, `import 'fast-check';`), /for development/),
  change('declared for development, in a test', { [at('store/src/index.test.ts')]: `import 'fast-check';\nimport 'vitest';` }),
  change('not declared, in a script', plus('scripts/tool.ts', `import 'zod';`), /which package\.json does not declare/),

  change('computed', plus(store, `export const own = (name: string) => import(name);`), /nobody can tell what name imports before it runs/),
  change(
    'computed from elsewhere',
    plus(store, `import { createRequire } from 'node:module';\nexport const own = createRequire('/x')('knex');`),
    /createRequire\('\/x'\)/,
  ),
  change(
    'an exception that nothing needs',
    { 'scripts/gates/layers/excepted-imports.ts': 'export {};\n' },
    /excepts the import of program\.href/,
  ),

  change(
    'a circle of files',
    {
      [at('kernel/src/a.ts')]: `import './b.js';`,
      [at('kernel/src/b.ts')]: `export * from './c.js';`,
      [at('kernel/src/c.ts')]: `import { a } from './a.js';`,
    },
    /a\.ts:1: files load one another in a circle: packages\/kernel\/src\/a\.ts → packages\/kernel\/src\/b\.ts → packages\/kernel\/src\/c\.ts → /,
  ),
  change('a circle by types and by import()', {
    [at('kernel/src/a.ts')]: `import './b.js';`,
    [at('kernel/src/b.ts')]: `import type { A } from './a.js';\nexport const later = (): Promise<A> => import('./a.js');`,
  }),

  change(
    'a package the table does not know',
    { [at('pager/package.json')]: '{ "name": "@bellhop/pager" }' },
    /packages\/pager is in no row of the layers\n.*layer-table\.ts/,
  ),
  change(
    'sources without a manifest',
    { [at('pager/src/index.ts')]: 'export {};' },
    /packages\/pager: holds source files and no package\.json/,
  ),
  change('a file that cannot be parsed', plus(store, 'import {'), /store\/src\/index\.ts:\d+: cannot be parsed/),
  change(
    'no package at all',
    Object.fromEntries(
      Object.keys(SMALL_WORKSPACE)
        .filter((path) => path.startsWith('packages/'))
        .map((path) => [path, null]),
    ),
    /No package or no source file was found/,
  ),

  repositoryCase({
    name: 'red: the real sources, and a type of the store in the kernel',
    expect: 1,
    base: realSources,
    change: (checkout) => ({
      'packages/kernel/src/clock.ts': `import type { StoreOptions } from '@bellhop/store';\n${checkout.read('packages/kernel/src/clock.ts')}`,
    }),
    shape: ['M\tpackages/kernel/src/clock.ts'],
    says: /packages\/kernel\/src\/clock\.ts:1: imports @bellhop\/store, and kernel → store goes up/,
  }),
];

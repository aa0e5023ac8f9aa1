// Sources that cannot be read, which is no pass.
import type { SelfTestCase } from '../../framework/gate.js';
import { SOURCES, STATEMENTS, STORE, storeWith } from './fixture-product.js';
import { extra, goesRed, method } from './toy-case.js';

export const SOURCE_CASES: readonly SelfTestCase[] = [
  goesRed('no write call at all', { [STORE]: null }, /no write call was found/),
  goesRed(
    'a file that cannot be parsed',
    { [STATEMENTS]: `${SOURCES[STATEMENTS]}export const = 1;\n` },
    /statements\.ts:23: it cannot be parsed/,
  ),
  goesRed(
    '--write over a file that cannot be parsed',
    { [STATEMENTS]: 'export const = 1;\n' },
    /everything was up to date[\s\S]*it cannot be parsed/,
    { args: ['--write'] },
  ),
  goesRed(
    'a statement that any caller gives',
    extra(
      "import type { Statement } from '@bellhop/contracts';\nexport const run = (store: Store, what: Statement) => store.write(what, {}, { global: 'any' });",
    ),
    /the statement of this call cannot be read: what: it is a parameter of run, which is exported/,
  ),
  goesRed(
    'a scope that any caller gives',
    { [STORE]: storeWith('  more(scope: WriteScope) {\n    return this.#store.write(insertNote, {}, scope);\n  }\n') },
    /the scope of this call cannot be read: scope: it is a parameter of the method more/,
  ),
  goesRed(
    'a reason that shows at run time only',
    method('await this.#store.write(insertNote, {}, { global: id });'),
    /the scope of this call cannot be read/,
  ),
  goesRed(
    'steps that another function adds to',
    method('const steps: BatchStep[] = [];\n    fill(steps);\n    await this.#store.batch(steps);'),
    /the steps of this call cannot be read/,
  ),
  goesRed(
    'a store that may be anything',
    extra('export const run = (store: any, what: any) => store.write(what, {}, {});'),
    /may be a call of the store/,
  ),
  goesRed(
    'a method that is taken off the store',
    extra('export const run = (store: Store) => store.write.bind(store);'),
    /takes a method of the store/,
  ),
  goesRed(
    '--write where a call cannot be read',
    { [STORE]: storeWith('  more(scope: WriteScope) {\n    return this.#store.write(insertNote, {}, scope);\n  }\n') },
    /cannot be read/,
    { args: ['--write'] },
  ),
];

import { expect, it } from 'vitest';
import { censusOf, IMPORTS } from '../census-of.fixture.js';
import { withoutContext } from './real-sources.js';

it.each([
  ['store.write(insertNote, { id }, { organizationId: id })', 'store.write(insertNote, { id })', 'store.write(insertNote, { id }, {})'],
  [
    'store.write(insertNote, {}, SCOPE, { trx })',
    'store.write(insertNote, {}, undefined, { trx })',
    'store.write(insertNote, {}, {}, { trx })',
  ],
  [
    'store.batch([{ statement: insertNote, params: {}, scope: SCOPE }])',
    'store.batch([{ statement: insertNote, params: {},  }])',
    'store.batch([{ statement: insertNote, params: {}, scope: {} }])',
  ],
  [
    'store.batch([{ scope, statement: insertNote, params: {} }])',
    'store.batch([{  statement: insertNote, params: {} }])',
    'store.batch([{ scope: {}, statement: insertNote, params: {} }])',
  ],
])('%s loses its context in two ways, and the census sees both', (call, left, empty) => {
  const source = (text: string) =>
    `${IMPORTS}const SCOPE = { global: 'why' };\nconst scope = SCOPE;\nexport const f = (store: Store, id: string, trx: never) => ${text};\n`;
  const [site] = censusOf({ 'a.ts': source(call) }).sites;
  expect(withoutContext(site!)).toEqual([source(left), source(empty)]);
  for (const mutant of withoutContext(site!)) expect(censusOf({ 'a.ts': mutant }).rows).toMatchObject([{ context: 'neither' }]);
});

import { describe, expect, it } from 'vitest';
import { findDefinitions, mayDefine } from './definitions.js';

const FILE = 'packages/p/src/sql/a.ts';
const find = (text: string) => findDefinitions(FILE, text).map(({ name, line, label }) => [name.slice(FILE.length), line, label]);

describe('findDefinitions', () => {
  it('names each definition by the declaration at the top of its file, with its line and label', () => {
    expect(
      find(`import { defineStatement } from '@bellhop/store';

export const survey = defineStatement({ label: 'outbox.survey', sql: '' });
export function claim(count: number) {
  return perCount(count, () => defineStatement({ label: 'outbox.claim', sql: '' }));
}
const one = defineStatement({ label: 'a.one' }), two = { inner: defineStatement({ label: 'a.two' }) };
class Store { read() { return defineStatement({ label: 'a.read' }); } }
export default function made() { return defineStatement({ label: 'a.made' }); }`),
    ).toEqual([
      ['#survey', 3, 'outbox.survey'],
      ['#claim', 5, 'outbox.claim'],
      ['#one', 7, 'a.one'],
      ['#two', 7, 'a.two'],
      ['#Store', 8, 'a.read'],
      ['#made', 9, 'a.made'],
    ]);
  });

  it('sees through another name and a namespace, and past a type', () => {
    expect(
      find(`import { defineStatement as make } from '@bellhop/store';
import * as store from '@bellhop/store';
const a: Statement = make({ label: 'a' });
const b = store.defineStatement({ label: 'b' }) as Statement;`),
    ).toEqual([
      ['#a', 3, 'a'],
      ['#b', 4, 'b'],
    ]);
  });

  it('keeps a call that declares nothing, or whose label is not spelled out', () => {
    expect(
      find(
        `register(defineStatement({ label: 'x' }));\nconst ddl = (label) => defineStatement({ label, sql });\nconst d = defineStatement(given);`,
      ),
    ).toEqual([
      ['#line 1', 1, 'x'],
      ['#ddl', 2, undefined],
      ['#d', 3, undefined],
    ]);
  });

  it('finds nothing where only the word occurs (control)', () => {
    expect(
      find(`// defineStatement({ label: 'x' })\nexport const text = 'defineStatement()';\nimport { defineStatement } from './x.js';`),
    ).toEqual([]);
  });

  it('does not take what it cannot parse for a file without statements', () => {
    expect(() => find('const defineStatement = {{')).toThrow(`${FILE} cannot be parsed`);
  });
});

describe('mayDefine', () => {
  it('holds the sources of packages, without tests and their fixtures', () => {
    const paths = [
      'packages/p/src/a.ts',
      'packages/p/src/sql/a.ts',
      'packages/p/src/a.test.ts',
      'packages/p/src/a.fixture.ts',
      'packages/p/src/a.integration.test.ts',
      'scripts/a.ts',
      'packages/p/README.md',
    ];
    expect(paths.filter(mayDefine)).toEqual(['packages/p/src/a.ts', 'packages/p/src/sql/a.ts']);
  });
});

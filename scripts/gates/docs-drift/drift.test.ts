import { describe, expect, it } from 'vitest';
import type { Anchor } from './declaration.js';
import { driftFinding, driftOf, tooGeneric } from './drift.js';
import { readPage } from './page.js';

const anchor = (name: string, more: Partial<Anchor> = {}): Anchor => ({
  name,
  kind: 'a function',
  path: 'packages/a/src/a.ts',
  line: 7,
  state: 'changed',
  ...more,
});
const pages = (...texts: string[]) => texts.map((text, index) => readPage(`docs/${index}.md`, text)!);
const nothingLeft = () => false;

describe('drift', () => {
  it('is told page by page, name by name, with the anchor nearest to the face of its package', () => {
    const deep = anchor('aB', { path: 'packages/a/src/b/c.ts', kind: 'a field of interface D' });
    const drifts = driftOf(pages('`cD`\n\n`aB`', 'None.', '`aB`'), [deep, anchor('aB'), anchor('cD')], nothingLeft);
    expect(drifts.map(({ path, mentions }) => [path, mentions.map(({ name, line }) => `${name} ${line}`)])).toEqual([
      ['docs/0.md', ['cD 1', 'aB 3']],
      ['docs/2.md', ['aB 1']],
    ]);
    expect(driftFinding(drifts[1]!)).toMatchObject({
      file: 'docs/2.md',
      line: 1,
      what: 'names a thing that the change touches\n    1: `aB`, a function, changed in packages/a/src/a.ts:7, and 1 more of that name',
    });
  });

  it('puts what is gone first, unless the word is left elsewhere', () => {
    const anchors = [anchor('aB'), anchor('cD', { state: 'removed' })];
    const told = (isLeft: (word: string) => boolean) => driftFinding(driftOf(pages('`aB`\n`cD`'), anchors, isLeft)[0]!).what;
    expect(told(nothingLeft)).toBe(
      'names 2 things that the change touches, 1 of them gone' +
        '\n    2: `cD`, a function, gone from packages/a/src/a.ts\n    1: `aB`, a function, changed in packages/a/src/a.ts:7',
    );
    expect(told((word) => word === 'cD')).toMatch(/touches\n {4}1: `aB`.*\n {4}2: `cD`, a function, removed from/);
  });

  it('counts what it does not list', () => {
    const names = Array.from({ length: 10 }, (_, index) => `name_${index}`);
    const [drift] = driftOf(
      pages(names.map((name) => `\`${name}\``).join(' ')),
      names.map((name) => anchor(name)),
      nothingLeft,
    );
    expect(driftFinding(drift!).what).toMatch(/^names 10 things .*\n(?: {4}1: .*\n){8} {4}and 2 more$/);
  });

  it('keeps methods of one name apart', () => {
    const method = (owner: string) => anchor('stop', { owner, kind: `a method of class ${owner}` });
    const [drift] = driftOf(
      pages('`kernel.stop()`\n`loop.stop()`'),
      [method('Kernel'), method('DispatchLoop'), method('Store')],
      nothingLeft,
    );
    expect(drift!.mentions.map(({ name, line }) => `${name} ${line}`)).toEqual(['Kernel.stop 1', 'DispatchLoop.stop 2']);
  });

  it('cannot be looked for by a common word that belongs to nothing', () => {
    expect(tooGeneric([anchor('tick'), anchor('run'), anchor('tick', { owner: 'Loop' }), anchor('aB'), anchor('tick')])).toEqual([
      'run',
      'tick',
    ]);
  });
});

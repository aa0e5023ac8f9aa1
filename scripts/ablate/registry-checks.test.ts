import { describe, expect, it } from 'vitest';
import type { Ablation } from './ablation.js';
import type { Registered } from './registry.js';
import { type CollectedTest, checkRegistry, entryLine } from './registry-checks.js';

const SOURCE = 'registry/loop.ts';
const CAPS = 'a loop > [L4] caps the delay';
const RESTS = 'a loop > [L4] rests';

const FILES: Record<string, string> = {
  'src/loop.ts': 'export const cap = (a: number, b: number) => Math.min(a, b);\n',
  'src/loop.test.ts': '',
  [SOURCE]: "\nexport const ablations = [\n  {\n    id: 'L4',\n  },\n  {\n    id: 'L4:rest',\n  },\n];\n",
};

const TESTS: CollectedTest[] = [
  { file: 'src/loop.test.ts', name: CAPS },
  { file: 'src/loop.test.ts', name: 'a loop > starts' },
];

function entry(change: Partial<Ablation> = {}): Registered {
  return {
    source: SOURCE,
    entry: {
      id: 'L4',
      why: 'A due time caps the delay.',
      file: 'src/loop.ts',
      anchor: 'Math.min(a, b)',
      replacement: 'a',
      expectCount: 1,
      tests: ['src/loop.test.ts'],
      red: [CAPS],
      ...change,
    },
  };
}

const read = (file: string) => (FILES[file] === undefined ? undefined : Buffer.from(FILES[file]));
const check = (registered: readonly Registered[], tests: readonly CollectedTest[] = TESTS) => checkRegistry({ registered, tests, read });
const wrong = (registered: readonly Registered[], tests?: readonly CollectedTest[]) => check(registered, tests).map(({ what }) => what);

describe('the registry as a whole', () => {
  it('has nothing wrong with it', () => {
    expect(check([entry()])).toEqual([]);
    const more = [...TESTS, { file: 'src/loop.test.ts', name: RESTS }];
    expect(check([entry(), entry({ id: 'L4:rest', red: [RESTS] })], more)).toEqual([]);
    expect(check([entry({ green: [{ name: RESTS, why: 'an upper bound' }] })], more)).toEqual([]);
  });

  it('says where: the line of the entry', () => {
    expect(check([entry(), entry({ id: 'L4:rest', file: 'src/gone.ts' })])).toMatchObject([
      { file: SOURCE, line: 7, what: 'L4:rest: there is no src/gone.ts' },
    ]);
    expect(entryLine(entry({ id: 'L4' }), read)).toBe(4);
  });

  it.each<[string, Partial<Ablation>, RegExp]>([
    ['an id that no title could carry', { id: 'L4 deadline' }, /the id is none that a title could carry/],
    ['a test to mutate', { file: 'src/loop.test.ts' }, /is a test or a part of one/],
    ['no such file', { file: 'src/gone.ts' }, /there is no src\/gone\.ts/],
    ['no such anchor', { anchor: 'Math.max' }, /occurs 0 times in src\/loop\.ts/],
    ['a mutant that does not parse', { replacement: 'Math.min(a, ' }, /the mutant does not parse/],
    ['a file without tests', { tests: ['src/loop.test.ts', 'src/more.test.ts'] }, /no test is collected from src\/more\.test\.ts/],
    ['a red test that is not there', { red: [CAPS, 'a loop > stops'] }, /"a loop > stops" exists 0 times in its test files/],
    ['a green test that is not there', { green: [{ name: RESTS, why: 'w' }] }, /rests" exists 0 times in its test files/],
    ['a green test of no rule', { green: [{ name: 'a loop > starts', why: 'w' }] }, /is green and does not carry \[L4\]/],
    ['a test both green and red', { green: [{ name: CAPS, why: 'w' }] }, /is green here and red in L4/],
  ])('refuses %s', (_, change, says) => expect(wrong([entry(change)])).toEqual(expect.arrayContaining([expect.stringMatching(says)])));

  it('refuses an id twice', () => {
    expect(wrong([entry(), entry()])).toEqual(['L4: the id is taken by an entry of registry/loop.ts']);
  });

  it('refuses a name that is there twice, and says where else it is', () => {
    const twice = [...TESTS, { file: 'src/loop.test.ts', name: 'a loop > starts' }, { file: 'src/more.test.ts', name: 'a loop > ends' }];
    expect(wrong([entry({ red: [CAPS, 'a loop > starts'] })], twice)).toEqual([
      'L4: "a loop > starts" exists 2 times in its test files, expected 1',
    ]);
    expect(wrong([entry({ red: [CAPS, 'a loop > ends'] })], twice)).toEqual([
      'L4: "a loop > ends" exists 0 times in its test files, expected 1 (elsewhere: src/more.test.ts)',
    ]);
  });

  it('refuses to leave out a test that carries the rule, wherever it is', () => {
    expect(wrong([entry()], [...TESTS, { file: 'src/loop.test.ts', name: RESTS }])).toEqual([
      `carries [L4], and is neither red nor green in an ablation of L4:\n    ${RESTS}`,
    ]);
    expect(wrong([entry()], [...TESTS, { file: 'src/more.test.ts', name: RESTS }])).toEqual([
      'L4: src/more.test.ts has tests that carry [L4], and is not among its tests',
      expect.stringMatching(/neither red nor green/),
    ]);
  });

  it('wants every file with a test of the rule in every entry of the rule', () => {
    const more = [...TESTS, { file: 'src/more.test.ts', name: RESTS }];
    const rest = entry({ id: 'L4:rest', red: [RESTS], tests: ['src/loop.test.ts', 'src/more.test.ts'] });
    expect(wrong([entry(), rest], more)).toEqual(['L4: src/more.test.ts has tests that carry [L4], and is not among its tests']);
  });

  it('refuses a tag that no entry has', () => {
    expect(wrong([entry()], [...TESTS, { file: 'src/more.test.ts', name: '[L5] wakes' }])).toEqual([
      'a test carries [L5], which no ablation has: "[L5] wakes"',
    ]);
  });
});

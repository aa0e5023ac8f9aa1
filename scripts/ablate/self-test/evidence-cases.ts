// Runs that end by themselves: what proves an entry, and what must never be taken for a proof.

import assert from 'node:assert/strict';
import type { Files } from '../../gates/framework/temporary-repository.js';
import type { Ablation } from '../ablation.js';
import type { EntryResult } from '../entry-run.js';
import { ablate, CHECKOUT, expectEnd, expectTotals, leftovers, type SelfTestCase, snapshot } from './case.js';
import { ANSWERS, CEILING, DOUBLES, registry, SOURCE, TESTS, TinyRepository } from './tiny-repository.js';

interface EvidenceCase {
  readonly name: string;
  readonly entry?: Partial<Ablation>;
  readonly files?: Files;
  readonly exit: number;
  readonly says: readonly RegExp[];
}

const HEAD = 'export function delay(level: number, ceiling: number): number {\n  return ';

/** Each runs one entry, and must leave the tree as it was, and nothing beside it. */
const ONE_ENTRY: readonly EvidenceCase[] = [
  { name: 'a good mutation is proved (0)', exit: 0, says: [/^proved {4}D1 {2}1 of 1 red/m] },
  {
    name: 'a mutation that reddens nothing is refuted (1)',
    entry: { anchor: '[0, 1, 2]', replacement: '[0, 1, 2] as number[]' },
    exit: 1,
    says: [/^refuted {3}D1 {2}0 of 1 red/m, new RegExp(`missing: ${escaped(CEILING)}`)],
  },
  {
    name: 'a mutation that reddens an extra test is refuted (1)',
    entry: { replacement: '1 + level' },
    exit: 1,
    says: [/^refuted {3}D1 {2}1 of 1 red/m, new RegExp(`extra: ${escaped(DOUBLES)} .*AssertionError`)],
  },
  {
    name: 'a mutant that does not load is no evidence (1)',
    entry: { anchor: 'export const HOLD = false;', replacement: "export const HOLD = false;\nthrow new Error('unloadable');" },
    exit: 1,
    says: [/not evidence: src\/delay\.test\.ts did not load.*unloadable/, /no test ran/],
  },
  {
    name: 'a mutant of broken code is no evidence, whatever falls (1)',
    entry: {
      replacement: 'Math.min(2 ** level, roof)',
      red: [CEILING, DOUBLES, ...[0, 1, 2].map((level) => `a delay > is positive at level ${level}`)],
    },
    exit: 1,
    says: [/^refuted {3}D1 {2}5 of 5 red/m, /not evidence: .* met broken code .*roof is not defined/],
  },
  {
    name: 'a test that times out is no evidence, even the expected one (1)',
    entry: { anchor: 'return 1;', replacement: 'return new Promise(() => {});', red: [ANSWERS] },
    exit: 1,
    says: [/^refuted {3}D1 {2}1 of 1 red/m, /not evidence: .* timed out instead of failing by its assertion/],
  },
  {
    name: 'another number of tests is no evidence (1)',
    // One edit of two things: the expected test falls, and another is gone.
    entry: {
      anchor: `[0, 1, 2];\n\n${HEAD}Math.min(2 ** level, ceiling)`,
      replacement: `[0, 1];\n\n${HEAD}2 ** level`,
    },
    exit: 1,
    says: [/^refuted {3}D1 {2}1 of 1 red/m, /not evidence: the number of tests changed from 7 to 6/],
  },
  {
    name: 'an error outside of any test is no evidence (1)',
    entry: { replacement: "(void Promise.reject(new Error('stray')), 2 ** level)" },
    exit: 1,
    says: [/^refuted {3}D1 {2}1 of 1 red/m, /not evidence: an error outside of any test: .*stray/],
  },
  {
    name: 'a hook that fails is no evidence (1)',
    entry: { anchor: 'HOLD = false', replacement: 'HOLD = null as never', red: [DOUBLES] },
    files: {
      'src/hook.test.ts': `import { beforeAll, describe, expect, it } from 'vitest';
import { HOLD } from './delay.js';
describe('hooked', () => {
  beforeAll(() => expect(HOLD).toBe(false));
  it('runs', () => expect(HOLD).toBe(false));
});
`,
      ...registry({ anchor: 'HOLD = false', replacement: 'HOLD = null as never', tests: ['src/hook.test.ts'], red: ['hooked > runs'] }),
    },
    exit: 1,
    says: [/not evidence: a hook of "hooked" failed/],
  },
  {
    name: 'a baseline that is red refutes, and mutates nothing (1)',
    files: {
      [TESTS]: "import { it } from 'vitest';\nit('a delay', () => { throw new Error('red before'); });\n",
      ...registry({ red: ['a delay'] }),
    },
    exit: 1,
    says: [/baseline: "a delay" fails without a mutation .*red before/, /→ – → –/],
  },
  {
    name: 'a test that is named and not there refutes, and mutates nothing (1)',
    entry: { red: [`${CEILING} of old`] },
    exit: 1,
    says: [/baseline: ".* of old" exists 0 times/, /→ – → –/],
  },
  {
    name: 'an anchor that is not there is not measured (3)',
    entry: { anchor: 'Math.max' },
    exit: 3,
    says: [/^not measured {2}D1/m, /occurs 0 times/],
  },
  {
    name: 'an anchor that is there too often is not measured (3)',
    entry: { anchor: 'export' },
    exit: 3,
    says: [/occurs 4 times .* expected 1/],
  },
];

export const EVIDENCE_CASES: readonly SelfTestCase[] = [
  ...ONE_ENTRY.map(
    ({ name, entry = {}, files = {}, exit, says }): SelfTestCase => ({
      name,
      async run(folder) {
        const repository = new TinyRepository(folder, CHECKOUT, { ...registry(entry), ...files });
        const before = snapshot(repository, SOURCE);
        const end = await ablate(repository, 'D1');
        expectEnd(end, exit, ...says);
        expectTotals(end, `${exit === 0 ? 1 : 0} proved, ${exit === 1 ? 1 : 0} refuted`);
        assert.equal(snapshot(repository, SOURCE), before, 'the tree is not as it was');
        assert.deepEqual(leftovers(repository), []);
      },
    }),
  ),
  {
    name: 'several entries end with the worst of their codes, and --json says what was seen (1)',
    async run(folder) {
      const entries = registry({}, { id: 'D1:never', anchor: 'Math.max' }, { id: 'D1:wrong', red: [DOUBLES] }, { id: 'D2' });
      const repository = new TinyRepository(folder, CHECKOUT, entries);
      const end = await ablate(repository, 'D1', '--json');
      expectEnd(end, 1);
      expectTotals(end, '1 proved, 1 refuted');
      const lines = end.stdout.trimEnd().split('\n');
      assert.equal(lines.at(-2), 'not measured: D1:never');
      const [good, never, wrong, ...others] = lines.slice(0, -2).map((line) => JSON.parse(line) as EntryResult);
      assert.deepEqual([good?.id, never?.id, wrong?.id, others.length], ['D1', 'D1:never', 'D1:wrong', 0]);
      assert.deepEqual([good?.exit, never?.exit, wrong?.exit], [0, 3, 1]);
      assert.deepEqual([good?.observed.map(({ name }) => name), good?.missing, good?.extra], [[CEILING], [], []]);
      assert.deepEqual([wrong?.missing, wrong?.extra.map(({ name }) => name)], [[DOUBLES], [CEILING]]);
      const { before, mutant, after } = good!.hashes;
      assert.ok(before && mutant && before === after && before !== mutant, JSON.stringify(good?.hashes));
      assert.equal(before, repository.git('rev-parse', `HEAD:${SOURCE}`).trim());
    },
  },
];

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

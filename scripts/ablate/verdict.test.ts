import { describe, expect, it } from 'vitest';
import type { Run, Status, TestOutcome } from './evidence.js';
import { combinedExitCode, compare, difference, isProved, judgeGreen } from './verdict.js';

const FILE = 'a.test.ts';

function outcome(name: string, status: Status = 'passed', file = FILE): TestOutcome {
  return { file, name, status, errors: status === 'failed' ? [`AssertionError: ${name}\n  at x`] : [] };
}

function runOf(...tests: TestOutcome[]): Run {
  return { tests, faults: [], durationMs: 1 };
}

const BASELINE = [outcome('one'), outcome('two'), outcome('three')];

describe('what fell on a mutant', () => {
  const judge = (red: readonly string[], ...tests: TestOutcome[]) => compare({ red }, BASELINE, runOf(...tests));

  it('proves an entry when it is exactly what was expected', () => {
    const comparison = judge(['two'], outcome('one'), outcome('two', 'failed'), outcome('three'));
    expect(comparison).toEqual({
      observed: [{ file: FILE, name: 'two', error: 'AssertionError: two' }],
      missing: [],
      extra: [],
      faults: [],
    });
    expect(isProved(comparison)).toBe(true);
  });

  it('tells apart what is missing and what is extra', () => {
    const comparison = judge(['one', 'two'], outcome('one'), outcome('two', 'failed'), outcome('three', 'failed'));
    expect(comparison.missing).toEqual(['one']);
    expect(comparison.extra.map(({ name }) => name)).toEqual(['three']);
    expect(isProved(comparison)).toBe(false);
  });

  it('proves nothing with one missing, one extra or one fault alone', () => {
    expect(isProved(judge(['two'], ...BASELINE))).toBe(false);
    expect(isProved(judge([], outcome('one', 'failed'), outcome('two'), outcome('three')))).toBe(false);
    const exact = runOf(outcome('one'), outcome('two', 'failed'), outcome('three'));
    expect(isProved(compare({ red: ['two'] }, BASELINE, exact))).toBe(true);
    expect(isProved(compare({ red: ['two'] }, BASELINE, { ...exact, faults: ['an error outside of any test'] }))).toBe(false);
  });

  it.each<[string, TestOutcome[], RegExp]>([
    ['no test', [], /^no test ran$/],
    ['a test less', BASELINE.slice(1), /^the number of tests changed from 3 to 2$/],
    ['a test more', [...BASELINE, outcome('four')], /^the number of tests changed from 3 to 4$/],
    [
      'another test',
      [outcome('one'), outcome('two'), outcome('four')],
      /^other tests ran: "three" \(a\.test\.ts\) was there 1 times, then 0 times$/,
    ],
    ['the same name in another file', [outcome('one', 'passed', 'b.test.ts'), outcome('two'), outcome('three')], /^other tests ran/],
    ['a test that was skipped', [outcome('one', 'skipped'), outcome('two'), outcome('three')], /^"one" \(a\.test\.ts\) was skipped$/],
  ])('is no evidence of a run with %s', (_, tests, fault) => {
    expect(difference(BASELINE, tests)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  });

  it('may leave skipped what was skipped before, and be listed in any order', () => {
    const baseline = [...BASELINE, outcome('rests', 'skipped')];
    expect(difference(baseline, [...baseline].reverse())).toEqual([]);
  });
});

describe('the source as it is', () => {
  it('is green when each named test is there once and passes, and nothing fails', () => {
    expect(judgeGreen({ red: ['one'], green: [{ name: 'two', why: 'bound' }] }, runOf(...BASELINE))).toEqual([]);
  });

  it.each<[string, Run, RegExp]>([
    [
      'fails elsewhere',
      runOf(outcome('one'), outcome('else', 'failed')),
      /^"else" fails without a mutation \(a\.test\.ts\): AssertionError: else$/,
    ],
    ['lacks it', runOf(outcome('else')), /^"one" exists 0 times/],
    ['has it twice', runOf(outcome('one'), outcome('one', 'passed', 'b.test.ts')), /^"one" exists 2 times/],
    ['skips it', runOf(outcome('one', 'skipped')), /^"one" is skipped here/],
    ['ran nothing', runOf(), /^no test ran$/],
    ['is no evidence', { ...runOf(outcome('one')), faults: ['a hook failed'] }, /^a hook failed$/],
  ])('is not when the run %s', (_, run, fault) => {
    expect(judgeGreen({ red: ['one'] }, run)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  });

  it('is not when a test that stays green is not there', () => {
    expect(judgeGreen({ red: ['one'], green: [{ name: 'gone', why: 'bound' }] }, runOf(outcome('one')))).toEqual([
      '"gone" exists 0 times in the test files of the entry, expected 1',
    ]);
  });
});

describe('several entries', () => {
  it.each([
    [[], 0],
    [['proved', 'proved'], 0],
    [['proved', 'not measured'], 3],
    [['not measured', 'refused'], 2],
    [['refused', 'refuted', 'not measured'], 1],
    [['refuted', 'restore unproven', 'proved'], 4],
  ] as const)('%j exit with %i', (verdicts, code) => expect(combinedExitCode(verdicts)).toBe(code));
});

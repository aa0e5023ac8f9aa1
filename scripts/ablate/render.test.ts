import { describe, expect, it } from 'vitest';
import type { EntryResult } from './entry-run.js';
import { renderJson, renderRow, renderTotals } from './render.js';

const PROVED: EntryResult = {
  id: 'L4',
  rule: 'L4',
  why: 'A due time caps the delay.',
  file: 'src/loop.ts',
  expected: ['a', 'b'],
  observed: [
    { file: 'src/loop.test.ts', name: 'a', error: 'AssertionError: a' },
    { file: 'src/loop.test.ts', name: 'b', error: 'AssertionError: b' },
  ],
  missing: [],
  extra: [],
  reasons: [],
  hashes: { before: '1'.repeat(40), mutant: '2'.repeat(40), after: '1'.repeat(40) },
  exit: 0,
  verdict: 'proved',
  durations: { baselineMs: 1, mutantMs: 2, restorationMs: 3, totalMs: 6_050 },
};
const REFUTED: EntryResult = {
  ...PROVED,
  id: 'L5',
  missing: ['b'],
  extra: [{ file: 'src/loop.test.ts', name: 'c', error: 'AssertionError: c' }],
  reasons: ['not evidence: one\ntwo'],
  exit: 1,
  verdict: 'refuted',
};
const NOT_MEASURED: EntryResult = {
  ...PROVED,
  id: 'L6',
  observed: [],
  hashes: {},
  reasons: ['no anchor'],
  exit: 3,
  verdict: 'not measured',
};

describe('a result', () => {
  it('is a row', () => {
    expect(renderRow(PROVED)).toBe('proved    L4  2 of 2 red  src/loop.ts  11111111 → 22222222 → 11111111  6.0 s');
  });

  it('says what is wrong below its row', () => {
    expect(renderRow(REFUTED).split('\n').slice(1)).toEqual([
      '    missing: b did not fall',
      '    extra: c (src/loop.test.ts) fell: AssertionError: c',
      '    not evidence: one',
      '    two',
    ]);
    expect(renderRow(NOT_MEASURED)).toMatch(/^not measured {2}L6 {2}not run .* – → – → –/);
  });

  it('is one line of JSON', () => {
    expect(renderJson(REFUTED)).not.toContain('\n');
    expect(JSON.parse(renderJson(REFUTED))).toEqual(REFUTED);
  });
});

describe('the totals', () => {
  it('are the last line, after what is neither proved nor refuted', () => {
    expect(renderTotals([])).toEqual(['0 proved, 0 refuted']);
    expect(renderTotals([PROVED, REFUTED, PROVED])).toEqual(['2 proved, 1 refuted']);
    expect(renderTotals([PROVED, NOT_MEASURED, { ...NOT_MEASURED, id: 'L7' }])).toEqual(['not measured: L6, L7', '1 proved, 0 refuted']);
    expect(renderTotals([{ ...REFUTED, verdict: 'restore unproven' }])).toEqual(['restore unproven: L5', '0 proved, 0 refuted']);
  });
});

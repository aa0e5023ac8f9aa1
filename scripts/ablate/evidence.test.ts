import { describe, expect, it } from 'vitest';
import { type EvidenceReport, firstLine, type RawRun, readRun } from './evidence.js';

const FILE = 'src/a.test.ts';

interface Made {
  readonly tests?: readonly [name: string, status: string, ...errors: string[]][];
  readonly evidence?: Partial<EvidenceReport>;
  readonly raw?: Partial<RawRun>;
}

/** What vitest leaves of a run of one file whose tests are in a suite `of it`. */
function run({ tests = [['works', 'passed']], evidence, raw }: Made = {}) {
  const failed = tests.filter(([, status]) => status === 'failed');
  return readRun({
    root: '/tree',
    files: [FILE],
    code: failed.length > 0 ? 1 : 0,
    signal: null,
    overdue: false,
    limitMs: 300_000,
    durationMs: 12,
    output: 'what vitest said',
    json: JSON.stringify({
      testResults: [
        { name: `/tree/${FILE}`, assertionResults: tests.map(([title, status]) => ({ ancestorTitles: ['of it'], title, status })) },
      ],
    }),
    evidence: JSON.stringify({
      reason: failed.length > 0 ? 'failed' : 'passed',
      unhandled: [],
      suites: [],
      failures: failed.map(([name, , ...errors]) => ({ file: `/tree/${FILE}`, name: `of it > ${name}`, errors })),
      retried: [],
      ...evidence,
    } satisfies EvidenceReport),
    ...raw,
  });
}

describe('a run', () => {
  it('is read into outcomes, with what failed by its message', () => {
    const { tests, faults, durationMs } = run({
      tests: [
        ['works', 'passed'],
        ['breaks', 'failed', 'AssertionError: expected 1 to be 2'],
        ['rests', 'pending'],
        ['comes later', 'todo'],
      ],
    });
    expect(faults).toEqual([]);
    expect(durationMs).toBe(12);
    expect(tests).toEqual([
      { file: FILE, name: 'of it > works', status: 'passed', errors: [] },
      { file: FILE, name: 'of it > breaks', status: 'failed', errors: ['AssertionError: expected 1 to be 2'] },
      { file: FILE, name: 'of it > rests', status: 'skipped', errors: [] },
      { file: FILE, name: 'of it > comes later', status: 'skipped', errors: [] },
    ]);
  });

  const failing = (error: string): Made => ({ tests: [['breaks', 'failed', error]] });
  const suite = (name: string): Made => ({ evidence: { suites: [{ file: `/tree/${FILE}`, name, error: 'Error: no' }] }, raw: { code: 1 } });
  const none: Made = { tests: [], raw: { code: 1 } };

  it.each<[string, Made, RegExp]>([
    ['that was killed for its time', { raw: { overdue: true } }, /^the run was killed after 300 s$/],
    ['without a report', { raw: { json: undefined, code: 134 } }, /^vitest left no report \(exit code 134\): what vitest said$/],
    ['with half a report', { raw: { json: '{"testResults": [' } }, /^vitest left no report/],
    ['without the second report', { raw: { evidence: undefined, code: null, signal: 'SIGSEGV' } }, /no report \(signal SIGSEGV\)/],
    ['ended by a signal', { raw: { code: null, signal: 'SIGTERM' } }, /^vitest was ended by SIGTERM$/],
    ['that was interrupted', { evidence: { reason: 'interrupted' } }, /interrupted/],
    ['of another file', { raw: { files: ['src/b.test.ts'] } }, /^src\/b\.test\.ts did not run$/],
    ['of a file too many', { raw: { files: [] } }, /^src\/a\.test\.ts ran, and nobody asked for it$/],
    ['whose file does not load', suite(''), /^src\/a\.test\.ts did not load, or a hook of it failed: Error: no$/],
    ['with a hook that fails', suite('of it'), /^a hook of "of it" failed \(src\/a\.test\.ts\): Error: no$/],
    ['without a test', none, /^src\/a\.test\.ts ran no test$/],
    ['with a stray error', { evidence: { unhandled: ['Error: stray'] }, raw: { code: 1 } }, /^an error outside of any test: Error: stray$/],
    ['with a retry', { evidence: { retried: ['of it > works'] } }, /^"of it > works" was retried$/],
    ['with a test that timed out', failing('Error: Test timed out in 30000ms.\nIf this is'), /^"of it > breaks" timed out .*30000ms\.$/],
    ['with a hook of a test that timed out', failing('Error: Hook timed out in 60000ms.'), /timed out instead of failing by its assertion/],
    ['that names what is not there', failing('ReferenceError: roof is not defined'), /^"of it > breaks" met broken code/],
    ['whose failure nobody explains', { tests: [['breaks', 'failed']] }, /^"of it > breaks" failed, and nobody says with what/],
    [
      'that failed and exits with 0',
      { ...failing('AssertionError: no'), raw: { code: 0 } },
      /^vitest exited with 0 although tests failed$/,
    ],
    ['that passed and exits with 1', { raw: { code: 1 } }, /^vitest exited with 1 although no test failed: what vitest said$/],
  ])('%s is no evidence', (_, made, fault) => {
    const { faults } = run(made);
    expect(faults).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  });

  it('is evidence when it fails by assertions and by errors of the code under test', () => {
    expect(run(failing('AssertionError: expected 1 to be 2')).faults).toEqual([]);
    expect(run(failing('TypeError: row.id is not a function')).faults).toEqual([]);
    expect(run(failing('BellhopError: Test timed out in 5 minutes of simulated time')).faults).toEqual([]);
  });
});

it('of a text the first line is told, and not all of a long one', () => {
  expect(firstLine('\n one\ntwo')).toBe('one');
  expect(firstLine('x'.repeat(400))).toHaveLength(300);
});

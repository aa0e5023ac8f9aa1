// What a run proves about an entry: the tests that fell are exactly those that the entry names, or not. Pure: compares, and does nothing.

import type { Ablation } from './ablation.js';
import type { Run, TestOutcome } from './evidence.js';
import { firstLine } from './evidence.js';

export type Verdict = 'proved' | 'refuted' | 'refused' | 'not measured' | 'restore unproven';

export const EXIT_CODES = {
  proved: 0,
  refuted: 1,
  refused: 2,
  'not measured': 3,
  'restore unproven': 4,
} as const satisfies Record<Verdict, number>;

/** The worst first: a tree that may still hold a mutant, then evidence against an entry, then what was not looked at. */
const WORST_FIRST: readonly Verdict[] = ['restore unproven', 'refuted', 'refused', 'not measured', 'proved'];

/** @returns the exit code of several entries. */
export function combinedExitCode(verdicts: readonly Verdict[]): number {
  return EXIT_CODES[WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'proved'];
}

/** A test by file and name, with what it failed with. */
export interface Fallen {
  readonly file: string;
  readonly name: string;
  readonly error: string;
}

export interface Comparison {
  readonly observed: readonly Fallen[];
  /** Expected red, and stayed green. */
  readonly missing: readonly string[];
  readonly extra: readonly Fallen[];
  /** Why the run is no evidence. */
  readonly faults: readonly string[];
}

/** @returns what is wrong with running the tests on the source as it is: empty when every named test is there once, and all is green. */
export function judgeGreen(entry: Pick<Ablation, 'red' | 'green'>, run: Run): string[] {
  const faults = [...run.faults];
  if (run.tests.length === 0) faults.push('no test ran');
  for (const { name, file, errors } of run.tests.filter(({ status }) => status === 'failed')) {
    faults.push(`"${name}" fails without a mutation (${file}): ${firstLine(errors[0] ?? '')}`);
  }
  for (const name of [...entry.red, ...(entry.green ?? []).map((test) => test.name)]) {
    const found = run.tests.filter((test) => test.name === name);
    if (found.length !== 1) faults.push(`"${name}" exists ${found.length} times in the test files of the entry, expected 1`);
    else if (found[0]!.status === 'skipped') faults.push(`"${name}" is skipped here: nothing can fall`);
  }
  return faults;
}

export function compare(entry: Pick<Ablation, 'red'>, baseline: readonly TestOutcome[], mutant: Run): Comparison {
  const observed = mutant.tests
    .filter(({ status }) => status === 'failed')
    .map(({ file, name, errors }) => ({ file, name, error: firstLine(errors[0] ?? '') }));
  const names = new Set(observed.map(({ name }) => name));
  return {
    observed,
    missing: entry.red.filter((name) => !names.has(name)),
    extra: observed.filter(({ name }) => !entry.red.includes(name)),
    faults: [...mutant.faults, ...difference(baseline, mutant.tests)],
  };
}

export function isProved({ missing, extra, faults }: Comparison): boolean {
  return missing.length === 0 && extra.length === 0 && faults.length === 0;
}

/** Other tests than in the baseline, or tests that ran there and are skipped. */
export function difference(baseline: readonly TestOutcome[], run: readonly TestOutcome[]): string[] {
  const faults: string[] = [];
  if (run.length === 0) return ['no test ran'];
  if (baseline.length !== run.length) faults.push(`the number of tests changed from ${baseline.length} to ${run.length}`);
  const before = countBy(baseline);
  const after = countBy(run);
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key) ?? 0, after.get(key) ?? 0];
    if (was !== is && baseline.length === run.length) faults.push(`other tests ran: ${key} was there ${was} times, then ${is} times`);
  }
  const ran = new Set(baseline.filter(({ status }) => status !== 'skipped').map(keyOf));
  for (const test of run) if (test.status === 'skipped' && ran.has(keyOf(test))) faults.push(`${keyOf(test)} was skipped`);
  return faults;
}

function countBy(tests: readonly TestOutcome[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const test of tests) counts.set(keyOf(test), (counts.get(keyOf(test)) ?? 0) + 1);
  return counts;
}

function keyOf({ file, name }: TestOutcome): string {
  return `"${name}" (${file})`;
}

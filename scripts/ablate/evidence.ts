// Reads what one vitest run left behind into what it proves: the outcome of each test, and the reasons why the run may prove nothing.
// Pure: knows neither the entry that was run nor whether the source was mutated.

import { relative } from 'node:path';

export type Status = 'passed' | 'failed' | 'skipped';

export interface TestOutcome {
  /** From the root of the tree. */
  readonly file: string;
  /** `describe > test`. */
  readonly name: string;
  readonly status: Status;
  /** Each with its name first: `AssertionError: expected 3 to be 2`. */
  readonly errors: readonly string[];
}

export interface Run {
  readonly tests: readonly TestOutcome[];
  /** Why this run is no evidence, whatever its tests say. */
  readonly faults: readonly string[];
  readonly durationMs: number;
}

/** What `evidence-reporter.ts` writes. */
export interface EvidenceReport {
  readonly reason: string;
  readonly unhandled: readonly string[];
  readonly suites: readonly { readonly file: string; readonly name: string; readonly error: string }[];
  /** The tests that failed, each with its errors. */
  readonly failures: readonly { readonly file: string; readonly name: string; readonly errors: readonly string[] }[];
  readonly retried: readonly string[];
}

/** The part of vitest's JSON report that is read here. */
interface JsonReport {
  readonly testResults: readonly {
    /** Absolute. */
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

export interface RawRun {
  /** Absolute, without links. */
  readonly root: string;
  /** The test files asked for, from the root. */
  readonly files: readonly string[];
  readonly code: number | null;
  readonly signal: string | null;
  readonly overdue: boolean;
  readonly limitMs: number;
  readonly durationMs: number;
  readonly output: string;
  /** The files that the two reporters wrote; undefined when missing. */
  readonly json: string | undefined;
  readonly evidence: string | undefined;
}

const TIMEOUT = /^(?:\w+: )?(?:Test|Hook) timed out in \d+ ?ms/;
/** What code that names or spells something wrong throws: the mutant is broken, rather than without its rule. */
const BROKEN = /^(?:ReferenceError|SyntaxError): /;

export function readRun(raw: RawRun): Run {
  const { durationMs } = raw;
  if (raw.overdue) return { tests: [], faults: [`the run was killed after ${raw.limitMs / 1000} s`], durationMs };
  const report = parse<JsonReport>(raw.json);
  const extra = parse<EvidenceReport>(raw.evidence);
  if (!report || !extra) {
    const end = raw.signal ? `signal ${raw.signal}` : `exit code ${raw.code}`;
    return { tests: [], faults: [`vitest left no report (${end}): ${raw.output.trim().slice(-1_500)}`], durationMs };
  }
  const tests = report.testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => {
      const name = [...ancestorTitles, title].filter((each) => each !== '').join(' > ');
      const failures = extra.failures.filter((failure) => failure.file === path && failure.name === name);
      return { file: relative(raw.root, path), name, status: statusOf(status), errors: failures.flatMap(({ errors }) => errors) };
    }),
  );
  return { tests, faults: [...runFaults(raw, report, extra, tests)], durationMs };
}

function* runFaults(raw: RawRun, report: JsonReport, extra: EvidenceReport, tests: readonly TestOutcome[]): Generator<string> {
  if (extra.reason === 'interrupted') yield 'the run was interrupted';
  if (raw.signal) yield `vitest was ended by ${raw.signal}`;
  const ran = report.testResults.map(({ name }) => relative(raw.root, name));
  for (const file of raw.files) if (!ran.includes(file)) yield `${file} did not run`;
  for (const file of ran) if (!raw.files.includes(file)) yield `${file} ran, and nobody asked for it`;
  for (const { file, name, error } of extra.suites) {
    const where = relative(raw.root, file);
    yield name === ''
      ? `${where} did not load, or a hook of it failed: ${firstLine(error)}`
      : `a hook of "${name}" failed (${where}): ${firstLine(error)}`;
  }
  for (const file of raw.files) {
    if (ran.includes(file) && !tests.some((test) => test.file === file)) yield `${file} ran no test`;
  }
  for (const error of extra.unhandled) yield `an error outside of any test: ${firstLine(error)}`;
  for (const name of extra.retried) yield `"${name}" was retried`;
  for (const { name, file, errors } of tests) {
    const timeout = errors.find((error) => TIMEOUT.test(error));
    if (timeout !== undefined) yield `"${name}" timed out instead of failing by its assertion (${file}): ${firstLine(timeout)}`;
    const broken = errors.find((error) => BROKEN.test(error));
    if (broken !== undefined) yield `"${name}" met broken code (${file}): ${firstLine(broken)}`;
  }
  const unexplained = tests.find(({ status, errors }) => status === 'failed' && errors.length === 0);
  if (unexplained) yield `"${unexplained.name}" failed, and nobody says with what (${unexplained.file})`;
  const failed = tests.some(({ status }) => status === 'failed');
  const clean = extra.suites.length === 0 && extra.unhandled.length === 0;
  if (raw.code === 0 && failed) yield 'vitest exited with 0 although tests failed';
  if (raw.code !== 0 && !raw.signal && !failed && clean)
    yield `vitest exited with ${raw.code} although no test failed: ${raw.output.trim().slice(-500)}`;
}

export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function statusOf(status: string): Status {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}

function parse<T>(json: string | undefined): T | undefined {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}

// What a gate's exit code says; the same for every gate, for `check` and for the ablations. Whatever is not listed, or a signal, means UNRUN:
// the gate gave no answer, which is never a pass.

export const EXIT = {
  /** Nothing wrong. */
  ok: 0,
  /** Findings, or input that cannot be read. */
  findings: 1,
  /** Asked in a way that has no answer. */
  usage: 2,
  /** A prerequisite is missing, and the output says which. */
  notMeasured: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the end of a process says. `unrun`: any other code, a signal, or one of the codes that a killed command leaves (124, 137, 143). */
export type Verdict = 'ok' | 'red' | 'not measured' | 'unrun';

export function verdictOf(code: number | null): Verdict {
  if (code === EXIT.ok) return 'ok';
  if (code === EXIT.findings) return 'red';
  if (code === EXIT.notMeasured) return 'not measured';
  return 'unrun';
}

/** The exit code of several verdicts together: a finding or a gate that did not run outweighs one that could not measure. */
export function worstOf(verdicts: readonly Verdict[]): ExitCode {
  if (verdicts.some((verdict) => verdict === 'red' || verdict === 'unrun')) return EXIT.findings;
  return verdicts.includes('not measured') ? EXIT.notMeasured : EXIT.ok;
}

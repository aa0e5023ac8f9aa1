// How results are printed: rows for people, or JSON lines; and the line that is always the last. Pure.

import type { EntryResult } from './entry-run.js';

export function renderRow(result: EntryResult): string {
  const { id, verdict, file, expected, observed, missing, extra, reasons, hashes, durations } = result;
  const blobs = [hashes.before, hashes.mutant, hashes.after].map((hash) => hash?.slice(0, 8) ?? '–').join(' → ');
  const red = `${expected.length - missing.length} of ${expected.length} red`;
  const ran = observed.length > 0 || missing.length > 0 || verdict === 'proved';
  const lines = [`${verdict.padEnd(8)}  ${id}  ${ran ? red : 'not run'}  ${file}  ${blobs}  ${(durations.totalMs / 1000).toFixed(1)} s`];
  for (const name of missing) lines.push(`    missing: ${name} did not fall`);
  for (const test of extra) lines.push(`    extra: ${test.name} (${test.file}) fell: ${test.error}`);
  for (const reason of reasons) lines.push(`    ${reason.replaceAll('\n', '\n    ')}`);
  return lines.join('\n');
}

export function renderJson(result: EntryResult): string {
  return JSON.stringify(result);
}

/** @returns the last lines: which entries are neither proved nor refuted, if any, then the totals. */
export function renderTotals(results: readonly EntryResult[]): string[] {
  const lines: string[] = [];
  for (const verdict of ['refused', 'not measured', 'restore unproven'] as const) {
    const ids = results.filter((result) => result.verdict === verdict).map(({ id }) => id);
    if (ids.length > 0) lines.push(`${verdict}: ${ids.join(', ')}`);
  }
  const count = (verdict: EntryResult['verdict']) => results.filter((result) => result.verdict === verdict).length;
  return [...lines, `${count('proved')} proved, ${count('refuted')} refuted`];
}

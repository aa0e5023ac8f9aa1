// Holds the reports that are checked in against the declarations as they are.
import type { Finding } from '../framework/finding.js';
import type { Difference } from './line-difference.js';

export interface FreshReport {
  readonly name: string;
  /** Where its report lies. */
  readonly path: string;
  readonly text: string;
}

export interface CheckedIn {
  /** The texts of all reports that are there, by path. */
  readonly reports: ReadonlyMap<string, string>;
  readonly differenceOf: (before: string, after: string) => Difference | undefined;
}

const WRITE = 'run pnpm gate api-report --write and commit';
/** Enough to see what changed; the rest is in git diff once the report is written. */
const SHOWN_LINES = 40;

export function judgeReports(fresh: readonly FreshReport[], { reports, differenceOf }: CheckedIn): Finding[] {
  const findings: Finding[] = [];
  for (const { name, path, text } of fresh) {
    const before = reports.get(path);
    if (before === undefined) {
      findings.push({ file: path, what: `the report of ${name} is missing`, mend: `${WRITE} it` });
      continue;
    }
    const difference = differenceOf(before, text);
    if (difference === undefined) continue;
    findings.push({
      file: path,
      line: difference.line,
      what: `the public declarations of ${name} are not those of its report:\n${shown(difference.lines)}`,
      mend: `if that is meant, ${WRITE} it, and name ${name} in a changeset (npx pnpm changeset)`,
    });
  }
  for (const path of strays(fresh, reports.keys())) {
    findings.push({ file: path, what: 'is a report of no published package', mend: 'delete it (pnpm gate api-report --write does)' });
  }
  return findings;
}

/** Reports that no published package has. */
export function strays(fresh: readonly FreshReport[], paths: Iterable<string>): string[] {
  const wanted = new Set(fresh.map(({ path }) => path));
  return [...paths].filter((path) => !wanted.has(path));
}

function shown(lines: readonly string[]): string {
  const more = lines.length - SHOWN_LINES;
  return [...lines.slice(0, SHOWN_LINES), ...(more > 0 ? [`… and ${more} lines more`] : [])].map((line) => `    ${line}`).join('\n');
}

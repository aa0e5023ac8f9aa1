// The gate of the public faces: what users compile against, held against a report that reviewers read (packages/<p>/api.md). It looks at the whole tree.
// It says that a face changed, never whether that was right: that is for the changeset and its reader.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshReports } from './api-report/fresh-reports.js';
import { judgeReports, strays } from './api-report/judge-reports.js';
import { differenceOf } from './api-report/line-difference.js';
import { apiReportSelfTest } from './api-report/self-test-cases.js';
import type { Gate } from './framework/gate.js';
import type { Repository } from './framework/repository.js';

export const gate: Gate = {
  name: 'api-report',
  about: "a package's public declarations differ from packages/<p>/api.md, or a report is missing, or is of no package.",
  // The lockfile and the options of the compiler decide about inferred types.
  watches: [/^packages\/[^/]+\/(src\/.*\.ts|package\.json|api\.md)$/, /^(tsconfig\.base\.json|package\.json|pnpm-lock\.yaml)$/],
  async measure({ repository }) {
    const fresh = await freshReports(repository);
    return {
      findings: judgeReports(fresh, { reports: checkedIn(repository), differenceOf }),
      summary: `${fresh.length} packages, ${fresh.reduce((sum, { text }) => sum + text.split('\n').length, 0)} lines of declarations`,
    };
  },
  async write({ repository }) {
    const fresh = await freshReports(repository);
    const before = checkedIn(repository);
    const changed = fresh.filter(({ path, text }) => before.get(path) !== text);
    for (const { path, text } of changed) writeFileSync(join(repository.root, path), text);
    const removed = strays(fresh, before.keys());
    for (const path of removed) rmSync(join(repository.root, path));
    return [...changed.map(({ path }) => path), ...removed];
  },
  selfTest: apiReportSelfTest,
};

function checkedIn(repository: Repository): Map<string, string> {
  const paths = repository.files().filter((path) => /^packages\/[^/]+\/api\.md$/.test(path));
  return new Map(paths.map((path) => [path, repository.read(path)!]));
}

// The gate `tenant-audit-census`: a write to a tenant's table without its tenancy context is what reviews miss, so every write of the product is
// counted, and a count that differs from what is checked in is red until somebody has looked at it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate, GateContext } from './framework/gate.js';
import { selfTestCases } from './tenant-audit-census/cases/cases.js';
import { censusJson, takeCensus } from './tenant-audit-census/census.js';
import { judgeCensus, regenerated, summaryOf, type Written } from './tenant-audit-census/judge.js';
import { LEDGER_FILE } from './tenant-audit-census/ledger.js';
import { PAGE_FILE } from './tenant-audit-census/page.js';
import { parseReasons, REASONS_FILE } from './tenant-audit-census/past-reasons.js';

export const gate: Gate = {
  name: 'tenant-audit-census',
  about:
    'the page or the ledger of docs/audits differs from a fresh count of the write calls in packages/*/src, a call or a file cannot be read, or a write goes past the API without a reason.',
  watches: [/^packages\/[^/]+\/src\//, /^docs\/audits\/tenant-audit-census/],
  switches: { json: 'prints the count in one line of JSON, before the findings' },
  measure({ repository, given, print }) {
    const census = takeCensus(repository);
    if (given('json')) print(censusJson(census));
    return { findings: judgeCensus(census, writtenIn(repository)), summary: summaryOf(census) };
  },
  write({ repository }) {
    const written = writtenIn(repository);
    const changed = [...regenerated(takeCensus(repository), written)].filter(([path, text]) => repository.read(path) !== text);
    for (const [path, text] of changed) writeFileSync(join(repository.root, path), text);
    return changed.map(([path]) => path);
  },
  selfTest: selfTestCases,
};

function writtenIn(repository: GateContext['repository']): Written {
  const reasons = repository.read(REASONS_FILE);
  return {
    page: repository.read(PAGE_FILE),
    ledger: repository.read(LEDGER_FILE),
    reasons: reasons === undefined ? [] : parseReasons(reasons),
  };
}

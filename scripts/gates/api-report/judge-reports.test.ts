import { describe, expect, it } from 'vitest';
import { judgeReports, strays } from './judge-reports.js';
import type { Difference } from './line-difference.js';

const fresh = [{ name: '@acme/kit', path: 'packages/kit/api.md', text: 'fresh\n' }];
const judge = (reports: Record<string, string>, difference?: Difference) =>
  judgeReports(fresh, {
    reports: new Map(Object.entries(reports)),
    differenceOf: (before, after) => (before === after ? undefined : difference),
  });

describe('a report', () => {
  it('that says what is so is no finding', () => {
    expect(judge({ 'packages/kit/api.md': 'fresh\n' })).toEqual([]);
  });

  it('that differs is told with the line, the lines and what to do', () => {
    expect(judge({ 'packages/kit/api.md': 'stale\n' }, { line: 7, lines: ['@@ -7 +7 @@', '-stale', '+fresh'] })).toEqual([
      {
        file: 'packages/kit/api.md',
        line: 7,
        what: 'the public declarations of @acme/kit are not those of its report:\n    @@ -7 +7 @@\n    -stale\n    +fresh',
        mend: 'if that is meant, run pnpm gate api-report --write and commit it, and name @acme/kit in a changeset (npx pnpm changeset)',
      },
    ]);
  });

  it('that differs everywhere is told up to a point', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `+${index}`);
    const [finding] = judge({ 'packages/kit/api.md': '' }, { line: 1, lines });
    expect(finding!.what.split('\n').slice(-2)).toEqual(['    +39', '    … and 10 lines more']);
  });

  it('that is missing, or of no package, is a finding', () => {
    const found = judge({ 'packages/gone/api.md': 'stale\n' });
    expect(found.map(({ file, what }) => [file, what])).toEqual([
      ['packages/kit/api.md', 'the report of @acme/kit is missing'],
      ['packages/gone/api.md', 'is a report of no published package'],
    ]);
    expect(strays(fresh, ['packages/kit/api.md', 'packages/gone/api.md'])).toEqual(['packages/gone/api.md']);
  });
});

import { describe, expect, it } from 'vitest';
import type { CensusRow } from './census.js';
import { firstDifference, judgeLedger, LEDGER_FILE, renderLedger } from './ledger.js';

const row = (over: Partial<CensusRow> = {}): CensusRow => ({
  file: 'packages/a/src/a.ts',
  line: 5,
  place: 'A.add',
  call: 'write',
  label: 'note.insert',
  operation: 'insert',
  table: 'note',
  tenancy: 'tenant-scoped',
  contextKind: 'organizationId',
  context: 'organizationId',
  reasons: [],
  ...over,
});
const neither = { contextKind: 'neither', context: 'neither' } as const;
const judged = (ledger: readonly CensusRow[], fresh: readonly CensusRow[]) =>
  judgeLedger({ rows: fresh }, renderLedger({ rows: ledger })).map(({ file, line, what }) => `${file}:${line}: ${what}`);

describe('the ledger', () => {
  it('has a row for each write, and equal ones once with their number', () => {
    const lines = renderLedger({ rows: [row(), row({ line: 9, place: 'A.more' }), row(neither)] })
      .split('\n')
      .slice(-4);
    expect(lines).toEqual([
      '|---|---|---|---|---|---|---|---|',
      '| `packages/a/src/a.ts` | write | note.insert | insert | note | tenant-scoped | organizationId | 2 |',
      '| `packages/a/src/a.ts` | write | note.insert | insert | note | tenant-scoped | neither | 1 |',
      '',
    ]);
  });

  it('is right when a fresh count makes it, wherever in the file the writes stand', () => {
    expect(judged([row()], [row({ line: 99, place: 'B.add' })])).toEqual([]);
  });

  it('does not know a write: found where it stands, with what it lacks', () => {
    expect(judged([row()], [row(), row({ line: 9, ...neither })])).toEqual([
      'packages/a/src/a.ts:9: A.add runs note.insert (insert of note, tenant-scoped) with context neither, which the ledger does not know',
    ]);
    const [finding] = judgeLedger({ rows: [row(neither)] }, renderLedger({ rows: [row()] }));
    expect(finding!.mend).toMatch(/^Give its scope.*the audit reports/);
  });

  it('knows one that is gone, or less of a kind, or more', () => {
    expect(judged([row(), row(neither)], [row()])).toEqual([
      expect.stringMatching(new RegExp(`^${LEDGER_FILE}:9: the sources hold no such write: .*neither`)),
    ]);
    expect(judged([row(), row()], [row()])).toEqual([`${LEDGER_FILE}:8: the sources hold 1 of these 2 writes`]);
    expect(judged([row()], [row(), row({ line: 9, place: 'A.more' })])).toEqual([
      'packages/a/src/a.ts:9: A.more runs note.insert (insert of note, tenant-scoped) with context organizationId: 2 such writes (lines 5, 9), the ledger knows 1',
    ]);
  });

  it('is compared to the byte', () => {
    const ledger = renderLedger({ rows: [row()] });
    expect(judgeLedger({ rows: [row()] }, `${ledger}\n`)).toMatchObject([
      { file: LEDGER_FILE, what: 'reads "", where a fresh count gives nothing' },
    ]);
    expect(judgeLedger({ rows: [row()] }, ledger.replace('# Ledger', '# The ledger'))).toMatchObject([{ line: 1 }]);
    expect(judgeLedger({ rows: [row()] }, undefined)).toMatchObject([{ what: 'the ledger is not there' }]);
  });
});

it.each([
  ['a\nb', 'a\nc', 2, '"b"', '"c"'],
  ['a', 'a\nb', 2, 'nothing', '"b"'],
  ['a\nb', 'a', 2, '"b"', 'nothing'],
])('the first difference of %j and %j', (has, wants, line, left, right) =>
  expect(firstDifference(has, wants)).toEqual({ line, has: left, wants: right }),
);

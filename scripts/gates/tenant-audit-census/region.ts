// The generated region of the page: the totals, the rows, the reasons and the ways past the API. Never one number alone.
import { type Census, type CensusRow, CONTEXT_KINDS, TENANCIES } from './census.js';
import { type PastReason, reasonFor } from './past-reasons.js';
import { WAYS } from './past-the-api.js';
import { code, counted, table } from './tables.js';

export function renderRegion(census: Census, reasons: readonly PastReason[]): string {
  return [
    '',
    '## Totals',
    '',
    'Writes by tenancy of their table and by what the call gives as context. `either`: an organization or a reason, as the case may be.',
    '',
    ...totals(census.rows),
    '',
    'Calls, of which one may run several statements:',
    '',
    ...table(
      ['call', 'count'],
      [
        ['`store.write`', census.sites.filter(({ call }) => call === 'write').length],
        ['a step of `store.batch`', census.sites.filter(({ call }) => call === 'batch').length],
        ['all', census.sites.length],
      ],
    ),
    '',
    '## Writes',
    '',
    ...table(
      ['file', 'operation', 'table', 'tenancy', 'context', 'count'],
      counted(byKey(census.rows, rowCells), rowCells).map(({ cells, rows }) => [...cells, rows.length]),
    ),
    '',
    '## Reasons to cross organizations',
    '',
    ...reasonLines(census.rows),
    '',
    '## Past the API',
    '',
    'Places by which a statement can reach the database without `write` or `batch`, each with the reason it may.',
    '',
    ...table(
      ['file', 'way', 'what', 'count', 'why'],
      counted(census.past, ({ file, way, what }) => [code(file), way, what]).map(({ cells, rows }) => [
        ...cells,
        rows.length,
        reasonFor(reasons, rows[0]!) ?? 'no reason given',
      ]),
    ),
    '',
    'The ways:',
    '',
    ...Object.entries(WAYS).map(([way, about]) => `- *${way}* (${census.past.filter((place) => place.way === way).length}): ${about}`),
    '',
    '',
  ].join('\n');
}

function totals(rows: readonly CensusRow[]): string[] {
  const line = (name: string, of: readonly CensusRow[]) => [
    name,
    ...CONTEXT_KINDS.map((kind) => of.filter(({ contextKind }) => contextKind === kind).length),
    of.length,
  ];
  return table(
    ['tenancy', ...CONTEXT_KINDS, 'all'],
    [
      ...TENANCIES.map((tenancy) =>
        line(
          tenancy,
          rows.filter((row) => row.tenancy === tenancy),
        ),
      ),
      line('all', rows),
    ],
  );
}

function rowCells({ file, operation, table: of, tenancy, context }: CensusRow): readonly string[] {
  return [code(file), operation, of, tenancy, context];
}

function reasonLines(rows: readonly CensusRow[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { reasons, file, label } of rows) {
    for (const reason of reasons) places.set(reason, (places.get(reason) ?? new Set()).add(`${code(file)}, for ${label}`));
  }
  if (places.size === 0) return ['None is given.'];
  return [...places.keys()]
    .sort()
    .flatMap((reason) => [`- ${JSON.stringify(reason)}`, ...[...places.get(reason)!].sort().map((place) => `  - ${place}`)]);
}

function byKey(rows: readonly CensusRow[], cells: (row: CensusRow) => readonly string[]): CensusRow[] {
  const key = (row: CensusRow) => cells(row).join('\u0000');
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

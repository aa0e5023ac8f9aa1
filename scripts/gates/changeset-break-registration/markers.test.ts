import { describe, expect, it } from 'vitest';
import { markersOf } from './markers.js';

const read = (text: string) => markersOf({ path: '.changeset/a.md', text, releases: [], summaryAt: 0 });
const types = (...symbols: [string, string][]) => ({
  category: 'types-only',
  symbols: symbols.map(([path, symbol]) => ({ path, symbol })),
});

describe('a registration marker', () => {
  it.each([
    ['<!-- break: adr 0009 -->', { category: 'adr', number: '0009' }],
    ['<!--break: adr 0009-->', { category: 'adr', number: '0009' }],
    ['<!-- break: adr 0009 — the old driver -->', { category: 'adr', number: '0009' }],
    ['<!-- break: unpublished – first release -->', { category: 'unpublished' }],
    ['<!--\nbreak: no-migration-prescription — nobody\n can have used it\n-->', { category: 'no-migration-prescription' }],
    ['<!-- break: types-only packages/a/src/a.ts#A -->', types(['packages/a/src/a.ts', 'A'])],
    ['<!-- break: types-only a.ts#A, b.ts#B_$1 — both -->', types(['a.ts', 'A'], ['b.ts', 'B_$1'])],
  ])('%j', (text, registration) => expect(read(text)).toMatchObject([{ line: 1, registration }]));

  it.each([
    '<!-- break: -->',
    '<!-- break: adr -->',
    '<!-- break: adr 9 -->',
    '<!-- break: adr 0009 0010 -->',
    '<!-- break: unpublished yet -->',
    '<!-- break: no-migration -->',
    '<!-- break: types-only -->',
    '<!-- break: types-only a.ts -->',
    '<!-- break: types-only a.ts#A b.ts -->',
    '<!-- Break: unpublished -->',
    '<!-- breaking: unpublished -->',
    '<!-- break unpublished -->',
  ])('cannot be read as %j', (text) => {
    const [marker] = read(text);
    expect(marker).toBeDefined();
    expect(marker?.registration).toBeUndefined();
  });

  it.each(['<!-- break the line -->', '<!-- breakfast: eggs -->', '`<!-- break: unpublished -->`', 'break: unpublished'])(
    'is not %j',
    (text) => expect(read(text)).toEqual([]),
  );

  it('has its line, and may stand beside others', () => {
    expect(read('One.\n\n<!-- break: unpublished -->\n<!-- break: adr 0001 -->').map(({ line }) => line)).toEqual([3, 4]);
  });
});

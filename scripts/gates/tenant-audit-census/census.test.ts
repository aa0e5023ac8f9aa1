import { describe, expect, it } from 'vitest';
import { CONTEXT_KINDS, kindOf, TENANCIES } from './census.js';
import { censusOf, IMPORTS } from './census-of.fixture.js';
import { judgeCensus, regenerated, summaryOf } from './judge.js';
import { LEDGER_FILE } from './ledger.js';
import { quotedNumbers } from './numbers.js';
import { renderRegion } from './region.js';

const SOURCE = `${IMPORTS}
export class Notes {
  readonly #store: Store;
  constructor(store: Store) { this.#store = store; }
  add(organizationId: string) { return this.#store.write(insertNote, {}, { organizationId }); }
  purge(organizationId?: string) { return this.#store.write(purgeNotes, {}, organizationId ? { organizationId } : { global: 'all of them | each' }); }
  set() { return this.#store.batch([{ statement: setSetting, params: {}, scope: { global: 'the deployment' } }, { statement: listNotes, params: {} }]); }
  forget() { return this.#store.batch([{ statement: setSetting, params: {} }]); }
}
`;
const census = censusOf({ 'a.ts': SOURCE });

describe('a census', () => {
  it('splits writes by tenancy and context', () => {
    const split = (tenancy: string, kind: string) =>
      census.rows.filter((row) => row.tenancy === tenancy && row.contextKind === kind).length;
    expect(TENANCIES.map((tenancy) => CONTEXT_KINDS.map((kind) => split(tenancy, kind)))).toEqual([
      [1, 0, 1, 0, 0],
      [0, 1, 0, 1, 0],
      [0, 0, 0, 0, 0],
    ]);
    expect([census.sites.length, census.reads]).toEqual([4, 1]);
  });

  it('gives the numbers of the page, each a part of a split', () => {
    expect(Object.fromEntries(quotedNumbers(census))).toEqual({
      sites: 4,
      writes: 4,
      tenant: 2,
      'tenant-organization': 1,
      'tenant-global': 0,
      'tenant-either': 1,
      'tenant-neither': 0,
      other: 2,
      unreadable: 0,
      statements: 3,
      'tenant-statements': 2,
      reasons: 2,
      past: 0,
    });
  });

  it('is told in one order, whatever the order of the sources', () => {
    const [head = '', ...methods] = SOURCE.split(/^(?= {2}\w+\()/m);
    const last = methods.pop()!;
    const turned = `${head}${[...methods].reverse().join('')}${last}`;
    expect(turned).not.toBe(SOURCE);
    expect(renderRegion(censusOf({ 'a.ts': turned }), [])).toBe(renderRegion(census, []));
  });

  it('lists every reason with what gives it', () => {
    expect(renderRegion(census, [])).toContain(
      [
        '- "all of them | each"',
        '  - `packages/notes/src/a.ts`, for note.purge',
        '- "the deployment"',
        '  - `packages/notes/src/a.ts`, for setting.set',
      ].join('\n'),
    );
    expect(renderRegion(census, [])).toContain('| delete | note | tenant-scoped | organizationId or global "all of them \\| each" | 1 |');
  });

  it.each([
    [['organizationId'], 'organizationId'],
    [['global'], 'global'],
    [['organizationId', 'global'], 'either'],
    [['organizationId', 'neither'], 'neither'],
    [['global', 'neither', 'unreadable'], 'unreadable'],
    [[], 'neither'],
  ] as const)('counts %j as %s', (kinds, kind) => {
    expect(kindOf(kinds.map((each) => ({ kind: each }) as Parameters<typeof kindOf>[0][number]))).toBe(kind);
  });

  it('reads the tenant-scoped tables of registrations, and finds those it cannot read', () => {
    const text = (tables: string) =>
      `${IMPORTS}export const f = (store: Store) => { store.audit.register(${tables}); return store.write(setSetting, {}, undefined); };`;
    expect(censusOf({ 'a.ts': text("['setting']") }).rows).toMatchObject([{ tenancy: 'tenant-scoped' }]);
    expect(censusOf({ 'a.ts': text('tables') }).findings).toMatchObject([{ what: expect.stringContaining('tenant-scoped tables') }]);
    expect(censusOf({ 'b.ts': 'export const set = { tenantTables: [...more] };' }).findings).toMatchObject([
      { file: 'packages/notes/src/b.ts' },
    ]);
  });
});

describe('the judgement', () => {
  const written = { page: undefined, ledger: undefined, reasons: [] };

  it('of nothing is red, and writes nothing', () => {
    const nothing = censusOf({});
    expect(judgeCensus(nothing, written)).toMatchObject([{ what: expect.stringContaining('no write call was found') }]);
    expect(regenerated(nothing, written).size).toBe(0);
  });

  it('of what cannot be parsed is that alone, and writes nothing', () => {
    const broken = censusOf({ 'a.ts': SOURCE, 'b.ts': 'const' });
    expect(judgeCensus(broken, written)).toMatchObject([
      { file: 'packages/notes/src/b.ts', what: expect.stringContaining('cannot be parsed') },
    ]);
    expect(regenerated(broken, written).size).toBe(0);
    expect(summaryOf(broken)).toMatch(/^not counted/);
  });

  it('of a fresh ledger is the page alone', () => {
    const texts = regenerated(census, written);
    expect(judgeCensus(census, { ...written, ledger: texts.get(LEDGER_FILE) })).toMatchObject([{ what: 'the page is not there' }]);
  });
});

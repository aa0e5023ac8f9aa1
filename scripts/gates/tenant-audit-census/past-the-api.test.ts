import { describe, expect, it } from 'vitest';
import { censusOf, IMPORTS } from './census-of.fixture.js';
import { judgePast, parseReasons } from './past-reasons.js';

const past = (text: string, path = 'a.ts') =>
  censusOf({ [path]: `${IMPORTS}${text}` })
    .past.filter(({ way, file }) => way !== 'not run' && file.endsWith(path))
    .map(({ way, what }) => `${way}: ${what}`);

describe('a way past the API', () => {
  it.each([
    ["export const f = (store: Store) => store.knex('note').insert({});", ['knex: knex']],
    ['export const f = ({ knex }: Store) => knex;', ['knex: knex']],
    ['export const f = (driver: any) => driver.executeIn(1, 2);', ['driver: executeIn']],
    ["export const f = (store: Store) => store.transaction((t) => t('note').insert({}));", ['transaction: trx(…)']],
    ["export const f = (store: Store) => store.transaction((t) => t.raw('SELECT 1'));", ['transaction: trx.raw']],
    ["export const f = (options: any) => options.trx('note');", ['transaction: trx(…)']],
    [
      "import type { Transaction } from '@bellhop/contracts'; export const f = (t: Transaction) => t.insert({});",
      ['transaction: trx.insert'],
    ],
    ["import type { Knex } from 'knex'; export const f = (t: Knex.Transaction) => t.insert({});", ['transaction: trx.insert']],
    ["import knex from 'knex'; export const k = knex;", ['import: knex']],
    ["import { type Client, createClient } from '@libsql/client'; export const c = createClient;", ['import: @libsql/client']],
    ["export const load = () => import('pg');", ['import: pg']],
    ["export const sql = 'DELETE FROM note';", ['sql text: delete note']],
    [`export const sql = (table: string) => \`UPDATE \${table} SET a = 1\`;`, ['sql text: update …']],
    ["export const m = { number: 1, name: 'notes', kind: 'additive', up: () => [] };", ['migration: notes']],
  ])('%s', (text, ways) => expect(past(text)).toEqual(ways));

  it.each([
    ["import type { Knex } from 'knex'; export type K = Knex;"],
    ["import { type Client } from '@libsql/client'; export type C = Client;"],
    [
      'export const f = (store: Store) => store.transaction(async (t) => { await store.write(insertNote, {}, { global: "x" }, { trx: t }); if (t.isCompleted()) t.rollback(); });',
    ],
    ['export class A { knex: unknown; constructor(k: unknown) { this.knex = k; } }'],
    [
      "import { defineStatement } from '@bellhop/store'; const W = 'UPDATE note SET a = 1'; export const s = defineStatement({ label: 'n', operation: 'update', table: 'note', sql: W });",
    ],
    [
      "import { defineStatement } from '@bellhop/store'; const W = 'DELETE FROM note'; export const s = defineStatement({ label: 'n', operation: 'delete', table: 'note', sql: W + ' WHERE a' });",
    ],
  ])('is not: %s', (text) => expect(past(text)).toEqual([]));

  it('is none in the store’s own drivers', () => {
    const text = "export const sql = 'DELETE FROM note';";
    expect(past(text, 'packages/store/src/drivers/a.ts')).toEqual([]);
    expect(past(text, 'packages/store/src/a.ts')).toEqual(['sql text: delete note']);
  });

  it('is a write statement that no call runs, and none that a call runs', () => {
    const unused = (text: string) =>
      censusOf({ 'a.ts': `${IMPORTS}${text}` })
        .past.filter(({ way }) => way === 'not run')
        .map(({ what }) => what);
    expect(unused('')).toEqual(['note.insert', 'note.purge', 'setting.set']);
    expect(
      unused(
        "export const f = (store: Store) => store.batch([insertNote, setSetting].map((statement) => ({ statement, params: {}, scope: { global: 'x' } })));",
      ),
    ).toEqual(['note.purge']);
  });
});

describe('the reasons', () => {
  const place = { file: 'a.ts', line: 3, way: 'knex', what: 'knex' } as const;
  const reason = { file: 'a.ts', way: 'knex', why: 'because', line: 2 } as const;

  it('let a place stay, by its file and way', () => {
    expect(judgePast([place, { ...place, line: 9 }], [reason])).toEqual([]);
    expect(judgePast([place], [])).toMatchObject([
      { file: 'a.ts', line: 3, what: expect.stringContaining('goes past the store’s API'.replace('’', "'")) },
    ]);
    expect(judgePast([{ ...place, way: 'driver' }, place], [reason])).toHaveLength(1);
    expect(judgePast([{ ...place, file: 'b.ts' }, place], [reason])).toHaveLength(1);
  });

  it('go with the place', () =>
    expect(judgePast([], [reason])).toMatchObject([{ line: 2, what: expect.stringContaining('where there is none') }]));

  it.each([
    '{}',
    '[{}]',
    '[null]',
    '[{ "file": "a.ts", "way": "magic", "why": "x" }]',
    '[{ "file": "a.ts", "way": "knex", "why": " " }]',
    '[',
    '[{ "way": "knex", "why": "x" }]',
  ])('are refused: %s', (text) => expect(() => parseReasons(text)).toThrow());

  it('are read with their lines', () => {
    expect(parseReasons('[\n  { "file": "a.ts", "way": "knex", "why": "x" }\n]')).toEqual([
      { file: 'a.ts', way: 'knex', why: 'x', line: 2 },
    ]);
  });
});

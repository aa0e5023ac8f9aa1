// Ways past the store's API, with a reason and without one.
import type { SelfTestCase } from '../../framework/gate.js';
import { REASONS_FILE } from '../past-reasons.js';
import { SOURCES, STATEMENTS, STORE } from './fixture-product.js';
import { extra, goesRed, method, staysGreen } from './toy-case.js';

export const PAST_CASES: readonly SelfTestCase[] = [
  goesRed(
    'the query builder of a store',
    extra("export const run = (store: Store) => store.knex('note').insert({});"),
    /extra\.ts:2: knex: .*goes past the store's API/,
  ),
  goesRed(
    'a transaction as a query builder',
    extra("export const run = (store: Store) => store.transaction((open) => open('note').insert({}));"),
    /trx\(…\): uses a transaction as a query builder/,
  ),
  goesRed(
    'a connection of its own',
    extra("import pg from 'pg';\nexport const pool = (store: Store) => new pg.Pool();"),
    /pg: opens connections of its own/,
  ),
  goesRed(
    'SQL that writes, in no statement',
    extra("export const sql = (store: Store) => 'DELETE FROM note';"),
    /delete note: SQL that writes, in no statement/,
  ),
  goesRed(
    'a write statement that goes through read',
    method('await this.#store.read(insertNote, { id });'),
    /note\.insert goes through read/,
  ),
  goesRed(
    'a statement that declares a read and writes',
    { [STATEMENTS]: SOURCES[STATEMENTS].replace("operation: 'delete'", "operation: 'select'") },
    /note\.purge declares the select of note, and its text is an delete of note/,
  ),
  goesRed(
    'a write statement that no call runs',
    {
      [STATEMENTS]: SOURCES[STATEMENTS].replace(
        'export const setSetting',
        "export const unused = defineStatement({ label: 'note.unused', operation: 'delete', table: 'note', sql: 'DELETE FROM note' });\n\nexport const setSetting",
      ),
    },
    /note\.unused: a write statement that no call of the API runs/,
  ),
  staysGreen(
    'a way past the API with its reason',
    {
      ...extra("export const run = (store: Store) => store.knex('note').insert({});"),
      [REASONS_FILE]: JSON.stringify([{ file: 'packages/notes/src/extra.ts', way: 'knex', why: 'a case' }]),
    },
    { args: ['--write'] },
  ),
  goesRed(
    'a reason for what is not there',
    { [REASONS_FILE]: JSON.stringify([{ file: STORE, way: 'knex', why: 'a case' }]) },
    /allows "knex" in .*note-store\.ts, where there is none/,
  ),
  goesRed('a reason that is no text', { [REASONS_FILE]: JSON.stringify([{ file: STORE, way: 'knex' }]) }, /entry 1 is/),
];

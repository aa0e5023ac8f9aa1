import { describe, expect, it } from 'vitest';
import { censusOf } from './census-of.fixture.js';
import { verbsIn } from './statement-text.js';

describe('what a text writes', () => {
  it.each([
    ['INSERT INTO note (id) VALUES (1)', ['insert note']],
    ['insert or ignore into "note" (id) values (1)', ['insert note']],
    ['REPLACE INTO note VALUES (1)', ['insert note']],
    ['UPDATE note SET a = 1', ['update note']],
    ['UPDATE note AS n SET a = 1', ['update note']],
    ['UPDATE ONLY public.note n\n  SET a = 1', ['update public.note']],
    ['DELETE FROM note WHERE a', ['delete note']],
    ['TRUNCATE TABLE note', ['delete note']],
    ['WITH gone AS (DELETE FROM note RETURNING id) INSERT INTO log SELECT id FROM gone', ['delete note', 'insert log']],
    ['INSERT INTO note (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 1', ['insert note']],
    ['UPDATE \u0000 SET a = 1', ['update ?']],
    ['SELECT id FROM note FOR UPDATE SKIP LOCKED', []],
    ['SELECT id FROM note ORDER BY id FOR UPDATE OF note)', []],
    ['CREATE TABLE note (id TEXT)', []],
    ['INSERT, UPDATE and DELETE among the statements.', []],
    ['To update it, set the option.', []],
  ])('%s', (text, verbs) => expect(verbsIn(text).map(({ operation, table }) => `${operation} ${table ?? '?'}`)).toEqual(verbs));
});

describe('a statement whose text', () => {
  const define = (operation: string, sql: string, before = '') =>
    censusOf({
      'a.ts': `import { defineStatement } from '@bellhop/store'; import type { Store } from '@bellhop/contracts'; ${before}
        const s = defineStatement({ label: 'note.x', operation: '${operation}', table: 'note', sql: ${sql} });
        export const f = (store: Store) => store.write(s, {}, { global: 'why' });`,
    });
  const found = (...args: Parameters<typeof define>) => define(...args).findings.map(({ what }) => what);
  const AUDIT = 'the audit goes by what is declared';

  it.each([
    ['writes what is declared', 'update', "'UPDATE note SET a = 1'", ''],
    ['is one for each family', 'update', "{ sqlite: 'UPDATE note SET a = 1', postgres: `UPDATE note AS n SET a = 1` }", ''],
    ['is made for each family elsewhere', 'update', '(family) => `UPDATE note SET a = 1`', ''],
    ['is a const', 'delete', 'TEXT', "const TEXT = 'DELETE FROM note';"],
    ['has a table put in', 'delete', `\`DELETE FROM \${TABLE}\``, "const TABLE = 'note';"],
  ])('%s passes', (_title, operation, sql, before) => expect(found(operation, sql, before)).toEqual([]));

  it.each([
    [
      'writes where a read is declared',
      'select',
      "'DELETE FROM note'",
      `note.x declares the select of note, and its text is an delete of note: ${AUDIT}`,
    ],
    [
      'does something else',
      'update',
      "'DELETE FROM note'",
      `note.x declares the update of note, and its text is an delete of note: ${AUDIT}`,
    ],
    [
      'writes another table',
      'delete',
      "'DELETE FROM other'",
      `note.x declares the delete of note, and its text is an delete of other: ${AUDIT}`,
    ],
    [
      'writes a second table',
      'delete',
      "'WITH g AS (DELETE FROM note RETURNING id) INSERT INTO log SELECT id FROM g'",
      `note.x declares the delete of note, and its text is an insert of log: ${AUDIT}`,
    ],
    [
      'differs in one family',
      'delete',
      "{ sqlite: 'DELETE FROM note', postgres: 'DELETE FROM other' }",
      `note.x declares the delete of note, and its text is an delete of other: ${AUDIT}`,
    ],
  ])('%s is found', (_title, operation, sql, finding) => expect(found(operation, sql)).toEqual([finding]));

  it('is given by a caller who does not show is counted as opaque, one whose callers show is not', () => {
    const opaque = (text: string) =>
      censusOf({ 'a.ts': `import { defineStatement } from '@bellhop/store';\n${text}` }).past.filter(({ way }) => way === 'opaque text');
    const make = "(sql: string) { return defineStatement({ label: 'ddl', operation: 'select', table: 'note', sql }); }";
    expect(opaque(`export function make${make}`)).toMatchObject([{ what: 'ddl', line: 2 }]);
    expect(opaque(`function make${make}\nexport const a = make('CREATE TABLE a (id TEXT)');`)).toEqual([]);
  });
});

it('a statement whose table cannot be read is found where it is defined', () => {
  const text =
    "import { defineStatement } from '@bellhop/store'; export const on = (table: string) => defineStatement({ label: 'x', operation: 'delete', table, sql: 'DELETE FROM note' });";
  expect(censusOf({ 'a.ts': text }).findings).toMatchObject([
    { file: 'packages/notes/src/a.ts', line: 1, what: expect.stringContaining('cannot be read: it is a parameter of on') },
  ]);
});

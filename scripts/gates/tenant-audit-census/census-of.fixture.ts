/** A census over texts: `a.ts` stands for a source of the package `notes`, which has a few statements. */
import { type Census, takeCensus } from './census.js';

const STATEMENTS = `import { defineStatement } from '@bellhop/store';
export const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
export const purgeNotes = defineStatement({ label: 'note.purge', operation: 'delete', table: 'note', sql: 'DELETE FROM note' });
export const setSetting = defineStatement({ label: 'setting.set', operation: 'update', table: 'setting', sql: 'UPDATE setting SET a = 1' });
export const listNotes = defineStatement({ label: 'note.list', operation: 'select', table: 'note', sql: 'SELECT id FROM note' });
export const set = { tenantTables: ['note'] };
`;

export function censusOf(texts: Readonly<Record<string, string>>): Census {
  const all = new Map([
    ['packages/notes/src/statements.ts', STATEMENTS],
    ...Object.entries(texts).map(([name, text]) => [name.includes('/') ? name : `packages/notes/src/${name}`, text] as const),
  ]);
  return takeCensus({ files: () => [...all.keys()].sort(), read: (path) => all.get(path) });
}

/** What every source of a test may use. */
export const IMPORTS = `import type { Store, WriteScope } from '@bellhop/contracts';
import { STORE } from '@bellhop/contracts';
import * as all from './statements.js';
import { insertNote, listNotes, purgeNotes, setSetting } from './statements.js';
`;

/** The writes of one source, as `label context`, and the findings without the statements that nothing runs. */
export function writesIn(text: string, more: Readonly<Record<string, string>> = {}) {
  const { rows, findings } = censusOf({ 'a.ts': `${IMPORTS}${text}`, ...more });
  return { writes: rows.map(({ label, context }) => `${label} ${context}`), findings: findings.map(({ what }) => what) };
}

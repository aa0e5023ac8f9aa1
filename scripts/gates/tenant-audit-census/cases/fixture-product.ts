// A small product with one store, for cases: its sources, and the page and ledger that belong to them.
import type { Files } from '../../framework/temporary-repository.js';
import { takeCensus } from '../census.js';
import { regenerated } from '../judge.js';
import { quotedNumbers } from '../numbers.js';
import { BEGIN, END, PAGE_FILE } from '../page.js';

export const STATEMENTS = 'packages/notes/src/statements.ts';
export const STORE = 'packages/notes/src/note-store.ts';
export const MIGRATIONS = 'packages/notes/src/migrations.ts';

const ADD = `  async add(id: string, organizationId: string) {
    await this.#store.write(insertNote, { id, organizationId }, { organizationId });
  }
`;
const PURGE = `  async purge(now: number) {
    await this.#store.batch([{ statement: purgeNotes, params: { now }, scope: { global: 'retention runs for all' } }]);
  }
`;

/** The store, with these methods. */
export function storeText(...methods: readonly string[]): string {
  return `import type { Store, Statement, WriteScope } from '@bellhop/contracts';
import { insertNote, purgeNotes, setSetting } from './statements.js';

export class NoteStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

${methods.join('\n')}}
`;
}

export const SOURCES = {
  [STATEMENTS]: `import { defineStatement } from '@bellhop/store';

export const insertNote = defineStatement({
  label: 'note.insert',
  operation: 'insert',
  table: 'note',
  sql: 'INSERT INTO note (id, organization_id) VALUES (:id, :organizationId)',
});

export const purgeNotes = defineStatement({
  label: 'note.purge',
  operation: 'delete',
  table: 'note',
  sql: 'DELETE FROM note WHERE gone_at <= :now',
});

export const setSetting = defineStatement({
  label: 'setting.set',
  operation: 'update',
  table: 'setting',
  sql: 'UPDATE setting SET value = :value WHERE name = :name',
});
`,
  [STORE]: storeText(
    ADD,
    PURGE,
    `  async set(name: string, value: string) {
    await this.#store.write(setSetting, { name, value }, { global: 'settings are the deployment\\'s' });
  }
`,
  ),
  [MIGRATIONS]: `export const noteMigrations = { plugin: 'notes', tenantTables: ['note'], migrations: [] };
`,
};

/** The store as it is, with one more method. */
export function storeWith(method: string): string {
  return SOURCES[STORE].replace(/}\n$/, `\n${method}}\n`);
}

/** The store as it is, its methods in another order and further down. */
export const MOVED = SOURCES[STORE].replace(`${ADD}\n${PURGE}`, `  // Retention.\n\n\n${PURGE}\n${ADD}`);

/** The sources with a page that quotes every number, and the ledger. */
export function withPages(sources: Files): Files {
  const from = {
    files: () => Object.keys(sources).sort(),
    read: (path: string) => sources[path] ?? undefined,
  };
  const census = takeCensus(from);
  const quotes = [...quotedNumbers(census).keys()].map((name) => `- ${name}: <!-- n:${name} -->0<!-- /n -->`);
  const page = ['# Census', '', ...quotes, '', BEGIN, END, '', 'The end.', ''].join('\n');
  return { ...sources, [PAGE_FILE]: page, ...Object.fromEntries(regenerated(census, { page, ledger: undefined, reasons: [] })) };
}

export const PRODUCT: Files = withPages(SOURCES);

/** The page of the product, changed by hand. */
export function pageWith(edit: (page: string) => string): Files {
  const page = PRODUCT[PAGE_FILE]!;
  const edited = edit(page);
  if (edited === page) throw new Error('the edit of the page changes nothing');
  return { [PAGE_FILE]: edited };
}

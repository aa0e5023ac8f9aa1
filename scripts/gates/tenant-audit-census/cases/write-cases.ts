// Writes that come, go and change: red until the page says so, and what is no write.
import type { SelfTestCase } from '../../framework/gate.js';
import { MIGRATIONS, MOVED, SOURCES, STORE } from './fixture-product.js';
import { extra, goesRed, method, staysGreen } from './toy-case.js';

export const WRITE_CASES: readonly SelfTestCase[] = [
  goesRed(
    'a write call that names no context',
    method('await this.#store.write(insertNote, { id, organizationId });'),
    /note-store\.ts:\d+: NoteStore\.more runs note\.insert \(insert of note, tenant-scoped\) with context neither/,
  ),
  goesRed(
    'a write call with a context, of which the page says nothing yet',
    method('await this.#store.write(insertNote, { id, organizationId }, { organizationId });'),
    /note-store\.ts:\d+: NoteStore\.more runs note\.insert .*: 2 such writes \(lines 12, 24\), the ledger knows 1/,
  ),
  goesRed(
    'a reason that changed',
    { [STORE]: SOURCES[STORE].replace('retention runs for all', 'retention') },
    /note\.purge .*context global "retention", which the ledger does not know/,
  ),
  goesRed('a reason that is empty', { [STORE]: SOURCES[STORE].replace('retention runs for all', '') }, /note\.purge .*context neither/),
  goesRed(
    'a table that becomes tenant-scoped',
    { [MIGRATIONS]: SOURCES[MIGRATIONS].replace("['note']", "['note', 'setting']") },
    /setting\.set \(update of setting, tenant-scoped\)/,
  ),
  goesRed(
    'a file that is not committed yet',
    extra(`import { insertNote } from './statements.js';\nexport const add = (store: Store) => store.write(insertNote, {}, undefined);`),
    /extra\.ts:3: add runs note\.insert .*context neither/,
    { as: 'uncommitted' },
  ),
  goesRed(
    'a write call that is gone',
    { [STORE]: SOURCES[STORE].replace(/ {2}async purge[\s\S]*?\n {2}}\n/, '') },
    /ledger\.md:\d+: the sources hold no such write/,
  ),
  staysGreen('a move within a file', { [STORE]: MOVED }),
  staysGreen('a write call of a test, and one of a fixture', {
    'packages/notes/src/note-store.test.ts': SOURCES[STORE].replaceAll(', { organizationId });', ');'),
    'packages/notes/src/notes.fixture.ts': SOURCES[STORE].replaceAll(', { organizationId });', ');'),
  }),
  staysGreen(
    'a file that writes nothing',
    extra('export const health = (store: Store) => store.health();\nexport const log = (text: string) => process.stdout.write(text);'),
  ),
  staysGreen(
    '--write after a write call with a context',
    method('await this.#store.write(insertNote, { id, organizationId }, { organizationId });'),
    {
      args: ['--write'],
      says: /wrote docs\/audits\/tenant-audit-census\.ledger\.md\n.*wrote docs\/audits\/tenant-audit-census\.md\n.*nothing wrong/,
    },
  ),
];

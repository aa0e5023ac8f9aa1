import type { Store } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const SQL = {
  insert: `INSERT INTO note (id, organization_id) VALUES (:id, 'acme')`,
  update: 'UPDATE note SET organization_id = organization_id WHERE id = :id',
  delete: 'DELETE FROM note WHERE id = :id',
} as const;
const write = (operation: keyof typeof SQL, table = 'note') =>
  defineStatement({ label: `${table}.${operation}`, operation, table, sql: SQL[operation].replaceAll('note', table) });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note' });

describe.each(TEST_STORE_NAMES)('the writes of a store on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  const warnings: unknown[] = [];
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (fields) => warnings.push(fields), child: () => logger };

  beforeAll(async () => {
    database = await testDatabase(name);
  });
  beforeEach(async () => {
    // A store of its own for each test: findings are kept as long as the store is.
    store = await openStore({ ...database.options, posture: 'isolated' }, { logger });
    const table = (called: string) => `CREATE TABLE ${called} (id VARCHAR(255) PRIMARY KEY, organization_id VARCHAR(255) NOT NULL)`;
    await store.migrate({
      plugin: 'notes',
      tenantTables: ['note'],
      migrations: [{ number: 1, name: 'tables', kind: 'additive', up: () => [table('note'), table('settings')] }],
    });
    for (const tables of ['note', 'settings']) await store.knex(tables).delete();
    warnings.length = 0;
  });
  afterEach(() => store.close());
  afterAll(() => database.drop());

  const counts = () => store.audit.findings().map(({ operation, count }) => [operation, count]);

  it('[audited-writes] are audited alone and in a transaction, warned once a table and operation', async () => {
    for (const operation of ['insert', 'update', 'delete'] as const) {
      await store.write(write(operation), { id: 'a' }, undefined);
      await store.transaction((trx) => store.write(write(operation), { id: 'b' }, undefined, { trx }));
      await store.write(write(operation), { id: 'c' }, { organizationId: 'acme' });
    }
    expect(counts()).toEqual([
      ['insert', 2],
      ['update', 2],
      ['delete', 2],
    ]);
    expect(warnings).toHaveLength(3);
  });

  it('[audited-writes] are audited step by step in a batch, in a transaction too', async () => {
    const step = (id: string) => ({ statement: write('insert'), params: { id } });
    await store.batch([step('a'), step('b'), { ...step('c'), scope: { organizationId: 'acme' } }]);
    await store.transaction((trx) => store.batch([step('d')], { trx }));
    expect(counts()).toEqual([['insert', 3]]);
  });

  it('[audited-writes] are audited on the tables that a migration set names as a tenant’s, and on no others; reads are not', async () => {
    expect([store.audit.isTenantScoped('note'), store.audit.isTenantScoped('settings')]).toEqual([true, false]);
    await store.write(write('insert', 'settings'), { id: 'a' }, undefined);
    await store.read(readNotes, {});
    expect(counts()).toEqual([]);
    await store.write(write('insert'), { id: 'a' }, undefined);
    expect(counts()).toEqual([['insert', 1]]);
  });
});

import type { Operation, Store, WriteScope } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';

const SQL = {
  insert: `INSERT INTO note (id, organization_id) VALUES (:id, 'acme')`,
  update: 'UPDATE note SET organization_id = organization_id WHERE id = :id',
  delete: 'DELETE FROM note WHERE id = :id',
} as const;
const write = (operation: keyof typeof SQL, table = 'note') =>
  defineStatement({ label: `${table}.${operation}`, operation, table, sql: SQL[operation].replaceAll('note', table) });

describe.each(TEST_STORE_NAMES)('[tenant-audit] on %s', (name) => {
  let database: TestDatabase;
  const warnings: unknown[] = [];
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (fields) => warnings.push(fields), child: () => logger };

  async function open(posture: 'single' | 'group' | 'isolated'): Promise<Store> {
    database = await testDatabase(name);
    const store = await database.open({ posture, logger });
    const table = (called: string) => `CREATE TABLE ${called} (id VARCHAR(255) PRIMARY KEY, organization_id VARCHAR(255) NOT NULL)`;
    await store.migrate({
      plugin: 'notes',
      tenantTables: ['note'],
      migrations: [{ number: 1, name: 'tables', kind: 'additive', up: () => [table('note'), table('settings')] }],
    });
    warnings.length = 0;
    return store;
  }
  afterEach(() => database.drop());

  it.each(['isolated', 'group'] as const)(
    '%s: a write with neither an organization nor a reason is a finding, warned once, counted each time',
    async (posture) => {
      const store = await open(posture);
      for (const operation of ['insert', 'update', 'delete'] as const) {
        await store.write(write(operation), { id: 'a' }, undefined);
        await store.batch([{ statement: write(operation), params: { id: 'b' } }]);
      }
      const finding = (operation: Operation) => ({ table: 'note', operation, count: 2 });
      expect(store.audit.findings()).toEqual([finding('insert'), finding('update'), finding('delete')]);
      expect(warnings).toHaveLength(3);
    },
  );

  it.each<[string, WriteScope, number]>([
    ['an organization', { organizationId: 'acme' }, 0],
    ['several organizations', { organizationId: ['acme', 'umbrella'] }, 0],
    ['a reason', { global: 'a sweep over all organizations' }, 0],
    ['an empty organization', { organizationId: '' }, 1],
    ['an empty reason', { global: '' }, 1],
  ])('%s in the scope: findings %#', async (_title, scope, findings) => {
    const store = await open('isolated');
    await store.write(write('insert'), { id: 'a' }, scope);
    expect(store.audit.findings()).toHaveLength(findings);
  });

  it('writes to tables that are nobody’s, and reads, are none (control: the same write to a tenant’s table is)', async () => {
    const store = await open('isolated');
    await store.write(write('insert', 'settings'), { id: 'a' }, undefined);
    await store.read(defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note' }), {});
    expect(store.audit.findings()).toEqual([]);
    await store.write(write('insert'), { id: 'a' }, undefined);
    expect(store.audit.findings()).toHaveLength(1);
  });

  it('single: nothing is a finding', async () => {
    const store = await open('single');
    await store.write(write('insert'), { id: 'a' }, undefined);
    expect(store.audit.findings()).toEqual([]);
  });
});

import type { Migration, MigrationSet, Store } from '@bellhop/contracts';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const createNotes: Migration = {
  number: 1,
  name: 'notes',
  kind: 'additive',
  up: ({ schema }) => [
    schema().createTable('note', (table) => {
      table.string('id').primary();
      table.text('body');
    }),
    'CREATE INDEX note_body ON note (body)',
  ],
};
const addColumn: Migration = { number: 2, name: 'author', kind: 'additive', up: () => ['ALTER TABLE note ADD COLUMN author TEXT'] };
const breaking: Migration = { number: 3, name: 'no body', kind: 'breaking', up: () => ['DROP INDEX note_body'] };
const set = (...migrations: Migration[]): MigrationSet => ({ plugin: 'notes', tenantTables: [], migrations });

describe.each(TEST_STORE_NAMES)('migrations on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await testDatabase(name);
    store = await database.open();
  });
  afterEach(() => database.drop());

  it('run once each, in order, and go on where an older version ended', async () => {
    expect(await store.migrate(set(createNotes))).toEqual({ applied: [{ plugin: 'notes', number: 1, name: 'notes' }], present: 0 });
    expect(await store.migrate(set(createNotes, addColumn))).toEqual({
      applied: [{ plugin: 'notes', number: 2, name: 'author' }],
      present: 1,
    });
    expect(await store.migrate(set(createNotes, addColumn))).toEqual({ applied: [], present: 2 });
    await store.knex('note').insert({ id: 'a', author: 'b' });
  });

  it('run once when several processes start at the same moment', async () => {
    const stores = name === 'memory' ? [store] : [store, await database.open(), await database.open()];
    const reports = await Promise.all(stores.map((one) => one.migrate(set(createNotes, addColumn))));
    expect(reports.flatMap(({ applied }) => applied)).toHaveLength(2);
    expect(await store.knex('bellhop_migration').select('number').orderBy('number')).toEqual([{ number: 1 }, { number: 2 }]);
  });

  it('leave older code running on a newer additive schema, and refuse it on a newer breaking one', async () => {
    await store.migrate(set(createNotes, addColumn));
    expect(await store.migrate(set(createNotes))).toEqual({ applied: [], present: 2 });
    await store.migrate(set(createNotes, addColumn, breaking));
    await expect(store.migrate(set(createNotes, addColumn))).rejects.toMatchObject({ code: 'SCHEMA_NEWER' });
    expect(await store.migrate(set(createNotes, addColumn, breaking))).toMatchObject({ applied: [] });
  });

  it('that fail leave nothing behind and run again once mended', async () => {
    const broken: Migration = { ...createNotes, up: (ctx) => [...createNotes.up(ctx), 'ALTER TABLE nowhere ADD COLUMN x TEXT'] };
    await expect(store.migrate(set(broken))).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
    expect(await store.knex.schema.hasTable('note')).toBe(false);
    expect(await store.migrate(set(createNotes))).toMatchObject({ applied: [{ number: 1 }] });
  });

  it('refuse gaps in their numbers, and bound values that DDL cannot carry', async () => {
    await expect(store.migrate(set(addColumn))).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
    const binding: Migration = { ...createNotes, up: ({ knex }) => [knex('note').insert({ id: 'a' }) as never] };
    await expect(store.migrate(set(binding))).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
  });

  it('cost one read when there is nothing to do', async () => {
    await store.migrate(set(createNotes));
    const before = store.meter.snapshot();
    await store.migrate(set(createNotes));
    const after = store.meter.snapshot();
    expect(after.writes).toBe(before.writes);
    expect(after.statements - before.statements).toBeLessThanOrEqual(name === 'libsql-remote' ? 2 : 1);
  });
});

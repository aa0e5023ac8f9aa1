import type { Store } from '@bellhop/contracts';
import { type TestDatabase, testDatabase } from '@bellhop/testing';
import knexFactory from 'knex';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { GroupCommit } from './group-commit.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What becomes of a call at once: the code of its refusal, or that it waits. */
async function atOnce(call: () => Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'waits';
  call().then(
    () => {
      outcome = 'done';
    },
    (error: { code?: string }) => {
      outcome = error.code;
    },
  );
  for (let turns = 0; turns < 10; turns += 1) await turn();
  return outcome;
}

const waysToForget = (store: Store): readonly [string, () => Promise<unknown>][] => [
  ['write', () => store.write(insertNote, { id: 'written' }, undefined)],
  ['read', () => store.read(readNotes, {})],
  ['batch', () => store.batch([{ statement: insertNote, params: { id: 'batched' } }])],
  ['builder', () => Promise.resolve(store.knex('note').select())],
  ['transaction', () => store.transaction(async () => {})],
];

describe.each(['memory', 'sqlite', 'libsql'] as const)('inside an open transaction of %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await store.knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  });
  afterEach(() => database.drop());

  const ids = () => store.knex('note').orderBy('id').pluck('id');

  it('[trx-required] a call that forgot it is refused at once, whichever way it comes; the transaction goes on', async () => {
    await store.transaction(async (trx) => {
      for (const [way, call] of waysToForget(store)) expect([way, await atOnce(call)]).toEqual([way, 'TRX_REQUIRED']);
      await trx('note').insert({ id: 'a' });
    });
    expect(await ids()).toEqual(['a']);
    // Control: outside of it the same calls go through.
    for (const [way, call] of waysToForget(store)) expect([way, await atOnce(call)]).toEqual([way, 'done']);
  });

  it('[trx-required] a call to a group commit is refused even when a group waits for the transaction, and nobody else', async () => {
    const group = new GroupCommit<string, string>({
      store,
      commit: async (all) => {
        await store.batch(all.map((id) => ({ statement: insertNote, params: { id } })));
        return all;
      },
    });
    let submitOutside = () => {};
    const outside = new Promise<void>((resolve) => {
      submitOutside = resolve;
    }).then(() => group.submit('outside'));
    await store.transaction(async (trx) => {
      submitOutside();
      // The group is under way now, and waits for this transaction to end.
      await turn();
      expect(await atOnce(() => group.submit('inside'))).toBe('TRX_REQUIRED');
      await store.write(insertNote, { id: 'given' }, undefined, { trx });
    });
    expect(await outside).toBe('outside');
    expect(await ids()).toEqual(['given', 'outside']);
  });
});

it('[trx-required] inside an open transaction of an adopted better-sqlite3, a call that forgot it is refused at once', async () => {
  const knex = knexFactory({ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true });
  const store = await openStore({ knex });
  await knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  try {
    await knex.transaction(async (trx) => {
      expect(await atOnce(() => store.write(insertNote, { id: 'x' }, undefined))).toBe('TRX_REQUIRED');
      expect(await atOnce(() => store.transaction(async () => {}))).toBe('TRX_REQUIRED');
      expect(() => store.assertOutsideTransaction()).toThrow(/open transaction/);
      await trx('note').insert({ id: 'a' });
    });
    store.assertOutsideTransaction();
    expect(await knex('note').pluck('id')).toEqual(['a']);
  } finally {
    await store.close();
    await knex.destroy();
  }
});

import type { Store } from '@bellhop/contracts';
import { TEST_STORE_NAMES, testDatabase } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { GroupCommit } from './group-commit.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });

async function open(name: (typeof TEST_STORE_NAMES)[number]) {
  const database = await testDatabase(name);
  const store = await database.open();
  await store.knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  return { database, store };
}

/** @param begin what a transaction waits for before it begins. */
function notes(store: Store, begin: Promise<void> = Promise.resolve()): GroupCommit<string, string> {
  return new GroupCommit({
    store,
    commit: async (ids) => {
      await begin;
      await store.batch(ids.map((id) => ({ statement: insertNote, params: { id } })));
      return ids;
    },
  });
}

describe.each(TEST_STORE_NAMES)('group commit on %s', (name) => {
  it('[group-commit-durability] settles a call once its rows are committed, and not before: another connection sees them', async () => {
    const { database, store } = await open(name);
    let letBegin = () => {};
    const begin = new Promise<void>((resolve) => {
      letBegin = resolve;
    });
    const group = notes(store, begin);
    const other = name === 'memory' ? store : await database.open();
    const seen = async (id: string) => (await other.knex('note').where({ id })).length;
    const settled: string[] = [];
    const calls = ['a', 'b', 'c'].map((id) =>
      group.submit(id).then(async () => {
        settled.push(id);
        expect(await seen(id)).toBe(1);
      }),
    );
    const outcome = Promise.allSettled(calls);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const early = [...settled];
    letBegin();
    await outcome;
    expect(early).toEqual([]);
    await Promise.all(calls);
    // Control: what is written and not committed is not seen, so seeing it meant something.
    if (name !== 'memory') {
      await store.transaction(async (trx) => {
        await store.write(insertNote, { id: 'open' }, undefined, { trx });
        expect(await seen('open')).toBe(0);
      });
      expect(await seen('open')).toBe(1);
    }
    await database.drop();
  });

  it('shares one transaction among calls, and none with a bad one', async () => {
    const { database, store } = await open(name);
    const group = notes(store);
    await group.submit('taken');
    const before = store.meter.snapshot().transactions;
    const outcomes = await Promise.allSettled(['a', 'taken', 'b'].map((id) => group.submit(id)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.knex('note').orderBy('id').pluck('id')).toEqual(['a', 'b', 'taken']);
    await Promise.all(['c', 'd', 'e'].map((id) => group.submit(id)));
    // The two good ones alone, then one for three.
    expect(store.meter.snapshot().transactions - before).toBe(3);
    await database.drop();
  });
});

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
  return { database, store, group: notes(store) };
}

function notes(store: Store): GroupCommit<string, string> {
  return new GroupCommit({
    store,
    commit: async (ids) => {
      await store.batch(ids.map((id) => ({ statement: insertNote, params: { id } })));
      return ids;
    },
  });
}

describe.each(TEST_STORE_NAMES)('group commit on %s', (name) => {
  it('[group-commit-durability] has committed when a call settles: another connection sees the row', async () => {
    const { database, store, group } = await open(name);
    const other = name === 'memory' ? store : await database.open();
    const seen = async (id: string) => (await other.knex('note').where({ id })).length;
    await Promise.all(['a', 'b', 'c'].map((id) => group.submit(id).then(async () => expect(await seen(id)).toBe(1))));
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
    const { database, store, group } = await open(name);
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

describe.each(['memory', 'sqlite', 'libsql'] as const)('[trx-required] group commit on %s', (name) => {
  it('refuses a call from inside an open transaction even when a group waits for it, and nobody else', async () => {
    const { database, store, group } = await open(name);
    let submitOutside = () => {};
    const outside = new Promise<void>((resolve) => {
      submitOutside = resolve;
    }).then(() => group.submit('outside'));
    await store.transaction(async (trx) => {
      submitOutside();
      // The group is under way now, and waits for this transaction to end.
      await new Promise((resolve) => setImmediate(resolve));
      await expect(group.submit('inside')).rejects.toMatchObject({ code: 'TRX_REQUIRED' });
      await store.write(insertNote, { id: 'given' }, undefined, { trx });
    });
    expect(await outside).toBe('outside');
    expect(await store.knex('note').orderBy('id').pluck('id')).toEqual(['given', 'outside']);
    await database.drop();
  });
});

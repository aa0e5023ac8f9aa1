import { join } from 'node:path';
import type { Store } from '@bellhop/contracts';
import { canFillDisk, type FullDisk, fullDisk } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const LARGE = 'x'.repeat(200_000);
const insertNote = defineStatement({
  label: 'note.insert',
  operation: 'insert',
  table: 'note',
  sql: 'INSERT INTO note (id, body) VALUES (:id, :body)',
});

describe.skipIf(!canFillDisk()).each(['file', 'libsql:file'] as const)('[full-disk] %s: on a disk without room', (scheme) => {
  let disk: FullDisk;
  let store: Store;
  beforeEach(async () => {
    disk = await fullDisk(4_096);
    store = await openStore({ url: `${scheme}:${join(disk.folder, 'test.db')}` });
    await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY, body TEXT)');
    await store.write(insertNote, { id: 'before', body: 'small' }, undefined);
  });
  afterEach(async () => {
    await store.close();
    await disk.close();
  });

  const note = (id: string) => ({ statement: insertNote, params: { id, body: LARGE } });
  const writes: readonly [string, () => Promise<unknown>][] = [
    ['a statement', () => store.write(insertNote, note('a').params, undefined)],
    ['a batch', () => store.batch([note('a'), note('b')])],
    [
      'a transaction',
      () =>
        store.transaction(async (trx) => {
          await trx('note').insert({ id: 'a', body: LARGE });
          await store.write(insertNote, note('b').params, undefined, { trx });
        }),
    ],
    ['a query of the builder', () => store.knex('note').insert({ id: 'a', body: LARGE })],
  ];

  it.each(writes)('%s fails with STORE_FULL, spoils nothing, and goes through once there is room', async (_title, write) => {
    disk.fill();
    for (let tries = 0; tries < 2; tries += 1) {
      const error = (await write().catch((reason) => reason)) as Error;
      expect(error).toMatchObject({ code: 'STORE_FULL', message: expect.stringContaining('free some space') });
      expect(error.cause).toBeInstanceOf(Error);
    }
    expect(await store.knex('note').pluck('id')).toEqual(['before']);
    disk.free();
    await write();
    expect(await store.knex('note').orderBy('id').first()).toEqual({ id: 'a', body: LARGE });
    expect(await store.knex.raw('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('[auto-rollback] a transaction that SQLite rolled back by itself does not go on statement by statement', async () => {
    // A page cache too small for the transaction: it spills into the log, and meets the full disk before the commit.
    await store.knex.raw('PRAGMA cache_size = 10');
    disk.fill();
    const swallowed: unknown[] = [];
    const doomed = store.transaction(async (trx) => {
      await store.write(insertNote, { id: 'first', body: 'small' }, undefined, { trx });
      for (const id of ['a', 'b', 'c']) {
        await store.write(insertNote, note(id).params, undefined, { trx }).catch((error) => swallowed.push(error));
      }
      disk.free();
      // There is room again; a row written here, outside any transaction, would stay.
      await store.write(insertNote, { id: 'after', body: 'small' }, undefined, { trx }).catch((error) => swallowed.push(error));
      await trx('note').insert({ id: 'builder', body: 'small' });
    });
    await expect(doomed).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(swallowed).toHaveLength(4);
    expect(await store.knex('note').pluck('id')).toEqual(['before']);
    await store.transaction((trx) => trx('note').insert({ id: 'next', body: LARGE }));
    expect(await store.knex('note').orderBy('id').pluck('id')).toEqual(['before', 'next']);
  });
});

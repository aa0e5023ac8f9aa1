import { startHranaServer } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { openStore } from './open-store.js';

const insertNote = defineStatement({ label: 'note.insert', operation: 'insert', table: 'note', sql: 'INSERT INTO note (id) VALUES (:id)' });
const readNotes = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note ORDER BY id' });
const note = (id: string) => ({ statement: insertNote, params: { id } });

it('[round-trips] remote libSQL takes one exchange an operation, and the meter counts every one', async () => {
  const server = await startHranaServer();
  const store = await openStore({ url: server.url });
  await store.knex.raw('CREATE TABLE note (id TEXT PRIMARY KEY)');
  expect(store.meter.snapshot().roundTrips).toBe(server.requests);
  const operations: readonly [string, () => Promise<unknown>][] = [
    ['a read', () => store.read(readNotes, {})],
    ['a write', () => store.write(insertNote, { id: 'a' }, undefined)],
    ['a batch', () => store.batch([note('b'), note('c'), { statement: readNotes, params: {} }])],
    [
      'a transaction',
      () =>
        store.transaction(async (trx) => {
          await trx('note').insert({ id: 'd' });
          await trx.transaction((inner) => store.write(insertNote, { id: 'e' }, undefined, { trx: inner }));
        }),
    ],
    ['a query of the builder', () => store.knex('note').select()],
    ['a look at its health', () => store.health()],
  ];
  for (const [operation, run] of operations) {
    server.resetCounts();
    store.meter.reset();
    await run();
    expect([operation, server.requests, store.meter.snapshot().roundTrips]).toEqual([operation, 1, 1]);
  }
  server.resetCounts();
  await store.transaction(async () => {});
  expect(server.requests).toBe(0);
  await store.close();
  await server.close();
});

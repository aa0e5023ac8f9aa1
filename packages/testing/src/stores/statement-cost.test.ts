import type { Store } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { statementCost } from './statement-cost.js';
import { type TestDatabase, testDatabase } from './test-stores.js';

const one = defineStatement({ label: 'test.one', operation: 'select', table: 'none', sql: 'SELECT 1 AS n' });
const two = defineStatement({ label: 'test.another', operation: 'select', table: 'none', sql: 'SELECT 2 AS n' });

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await testDatabase('memory');
  store = await database.open();
});
afterAll(() => database.drop());

it('counts what ran meanwhile, each statement by its label, and nothing from before', async () => {
  await store.read(one, {});
  const cost = await statementCost(store, async () => {
    await store.read(one, {});
    await store.batch([
      { statement: one, params: {} },
      { statement: two, params: {} },
    ]);
  });
  expect(cost).toMatchObject({ statements: 3, transactions: 1, labels: ['test.another', 'test.one', 'test.one'] });
});

it('counts nothing where nothing reached the driver', async () => {
  expect(await statementCost(store, () => {})).toEqual({ statements: 0, transactions: 0, roundTrips: 0, labels: [] });
});

it('throws what the work throws', async () => {
  await expect(statementCost(store, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

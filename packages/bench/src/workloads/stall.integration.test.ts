import { type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { stall } from './stall.js';

describe('stall', () => {
  const made: TestDatabase[] = [];
  afterEach(async () => {
    for (const database of made.splice(0)) await database.drop();
  });
  const settings = (store: TestStoreName, options: Record<string, string>) => ({
    stores: [store],
    quick: true,
    peer: 'none',
    options,
    async database(name: TestStoreName) {
      const database = await testDatabase(name);
      made.push(database);
      return database;
    },
  });

  it.each(['sqlite', 'postgres'] as const)('is one read with nothing due, and 200 nudges with 200 due, on %s', async (store) => {
    const { json, excesses } = await stall.run(settings(store, { todos: '3' }));
    expect(excesses).toEqual([]);
    expect(json).toMatchObject({ store, pairs: 500, todos: 1_500, statements: 1, charged: 200, falseNudges: 0, missedNudges: 0 });
  });

  it.each([{ todos: '0' }, { todos: 'many' }])('refuses %o', async (options) => {
    await expect(stall.run(settings('sqlite', options))).rejects.toThrow(RangeError);
  });
});

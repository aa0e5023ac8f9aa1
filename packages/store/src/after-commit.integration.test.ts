import type { Store } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(TEST_STORE_NAMES)('a call that waits for a commit on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  let called: string[];
  const warnings: string[] = [];
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (_fields, text) => warnings.push(text as string), child: () => logger };

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ logger });
    await store.knex.raw('CREATE TABLE note (id VARCHAR(255) PRIMARY KEY)');
  });
  beforeEach(async () => {
    called = [];
    warnings.length = 0;
    await store.knex('note').delete();
  });
  afterAll(() => database.drop());

  it('[after-commit] is made after the commit', async () => {
    await store.transaction(async (trx) => {
      store.afterCommit(trx, () => called.push('root'));
      await trx('note').insert({ id: 'a' });
      await turn();
      expect(called).toEqual([]);
    });
    await turn();
    expect(called).toEqual(['root']);
  });

  it('[after-commit] is made after the commit of the root: the release of a nested transaction is none', async () => {
    await store.transaction(async (trx) => {
      await trx.transaction(async (middle) => {
        await middle.transaction(async (inner) => {
          store.afterCommit(inner, () => called.push('inner'));
        });
        store.afterCommit(middle, () => called.push('middle'));
      });
      await turn();
      expect(called).toEqual([]);
    });
    await turn();
    expect(called.sort()).toEqual(['inner', 'middle']);
  });

  it('[after-commit] is never made after a rollback (control: after the next commit)', async () => {
    const thrown = store.transaction(async (trx) => {
      store.afterCommit(trx, () => called.push('rolled back'));
      await trx.transaction(async (inner) => {
        store.afterCommit(inner, () => called.push('nested in what is rolled back'));
      });
      throw new Error('root');
    });
    await expect(thrown).rejects.toThrow('root');
    await store.transaction(async (trx) => {
      store.afterCommit(trx, () => called.push('committed'));
    });
    await turn();
    expect(called).toEqual(['committed']);
  });

  it('[after-commit] is never made after a rollback by hand, though knex resolves such a transaction', async () => {
    await store.transaction(async (trx) => {
      store.afterCommit(trx, () => called.push('rolled back by hand'));
      await trx.rollback();
    });
    await turn();
    expect(called).toEqual([]);
  });

  it('[after-commit] is never made for a nested transaction that was rolled back, though the root commits', async () => {
    await store.transaction(async (trx) => {
      const nested = trx.transaction(async (inner) => {
        store.afterCommit(inner, () => called.push('nested, rolled back'));
        throw new Error('inner');
      });
      await expect(nested).rejects.toThrow('inner');
      store.afterCommit(trx, () => called.push('root'));
    });
    await turn();
    expect(called).toEqual(['root']);
  });

  it('[after-commit] is logged where it throws, and the others are made', async () => {
    await store.transaction(async (trx) => {
      store.afterCommit(trx, () => {
        throw new Error('hook');
      });
      store.afterCommit(trx, () => called.push('other'));
      await trx('note').insert({ id: 'a' });
    });
    await turn();
    expect(called).toEqual(['other']);
    expect(warnings).toHaveLength(1);
  });
});

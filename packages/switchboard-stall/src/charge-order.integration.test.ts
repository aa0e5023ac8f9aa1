import type { Store } from '@bellhop/contracts';
import { openStore } from '@bellhop/store';
import { boardMigrations, wakeSql } from '@bellhop/switchboard';
import { ManualClock, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stallMigrations } from './migrations/stall-migrations.js';
import { chargePairs } from './sql/charge-pairs.js';

// Most Postgres servers order texts as a dictionary does; the ledger's key is ordered by bytes. Two writes that lock pairs in different orders deadlock.

const NAME = 'bellhop_dictionary';

let database: TestDatabase;
let admin: Store;
let store: Store;
beforeAll(async () => {
  database = await testDatabase('postgres');
  admin = await database.open();
  await admin.knex.raw(`CREATE DATABASE ${NAME} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`);
  const url = new URL(database.options.url as string);
  url.pathname = `/${NAME}`;
  store = await openStore({ url: url.toString() }, { clock: new ManualClock() });
  await store.migrate(boardMigrations);
  await store.migrate(stallMigrations);
});
afterAll(async () => {
  await store.close();
  await admin.knex.raw(`DROP DATABASE ${NAME} WITH (FORCE)`);
  await database.drop();
});

it('charges pairs in the order of the ledger’s key, whatever the order of the database', async () => {
  const dictionary = await store.knex.raw(`SELECT q FROM (VALUES ('a'), ('B')) AS v(q) ORDER BY q`);
  expect(dictionary.rows.map(({ q }: { q: string }) => q)).toEqual(['a', 'B']);

  const now = 10_000_000;
  const of = { organization_id: 'o', endpoint_id: 'ep' };
  await store.knex('board_endpoint').insert({
    id: 'ep',
    organization_id: 'o',
    slug: 's',
    credential_hash: 'h',
    credential_prefix: 'p',
    queues: '["a","B"]',
    verbs: '[]',
    state: 'active',
    created_at: 0,
  });
  await store
    .knex('board_notify_hook')
    .insert({ ...of, id: 'h', url: 'u', secret: 's', queues: '[]', enabled: 1, failures: 0, opened_at: 0, created_at: 0 });
  for (const queue of ['a', 'B']) {
    await store.knex('board_todo').insert({
      ...of,
      id: queue,
      queue,
      state: 'pending',
      gate: 1,
      moved_by: 'm',
      source: 's',
      title: 't',
      payload: '{}',
      attempt: 0,
      max_attempts: 5,
      attempts_total: 0,
      ring_attempts: 0,
      created_at: 0,
      pending_since: 0,
      updated_at: 0,
    });
  }
  const pairs = JSON.stringify(['a', 'B'].map((queue) => ({ endpoint_id: 'ep', queue })));
  const { rows } = await store.write<{ queue: string }>(chargePairs(wakeSql), { now, pairs }, { global: 'test' });
  expect(rows.map(({ queue }) => queue)).toEqual(['B', 'a']);
});

import type { Store } from '@bellhop/contracts';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { inboxContract } from '../inbox/inbox-contract.fixture.js';
import { SqlInboxStore } from '../inbox/sql-inbox-store.js';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { eventStoreContract } from './event-store-contract.fixture.js';
import { SqlEventStore } from './sql-event-store.js';

describe.each(TEST_STORE_NAMES)('on %s', (name) => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock: new ManualClock() });
    await store.migrate(messagingMigrations);
  });
  afterAll(() => database.drop());
  afterEach(() => expect(store.audit.findings()).toEqual([]));

  inboxContract('SqlInboxStore', async () => {
    await emptyTables(store, messagingMigrations.tenantTables);
    return new SqlInboxStore(store);
  });
  eventStoreContract('SqlEventStore', async () => {
    await emptyTables(store, messagingMigrations.tenantTables);
    return new SqlEventStore(store);
  });
});

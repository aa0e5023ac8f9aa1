import type { Store } from '@bellhop/contracts';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inboxContract } from '../inbox/inbox-contract.fixture.js';
import { SqlInboxStore } from '../inbox/sql-inbox-store.js';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { eventStoreContract } from './event-store-contract.fixture.js';
import { SqlEventStore } from './sql-event-store.js';

describe.each(TEST_STORE_NAMES)('on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  /** Another connection to the same database; in memory there is none. */
  let other: Store;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock: new ManualClock() });
    await store.migrate(messagingMigrations);
    other = name === 'memory' ? store : await database.open({ clock: new ManualClock() });
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

  it('[B8] two nodes that deliver the same event to an inbox at once make one message', async () => {
    await emptyTables(store, messagingMigrations.tenantTables);
    const message = { organizationId: 'acme', userId: 'u', notificationId: 'n', topic: null, title: 't', body: '', createdAt: 1 };
    const inboxes = [new SqlInboxStore(store), new SqlInboxStore(other)];
    const inserted = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (inboxes[index % 2] as SqlInboxStore).insert({ ...message, id: `m${index}`, severity: 'info', actionUrl: null }),
      ),
    );
    expect(inserted.filter((one) => one.inserted)).toHaveLength(1);
    expect(new Set(inserted.map(({ id }) => id)).size).toBe(1);
    expect(await store.knex('inbox_message').pluck('id')).toHaveLength(1);
  });
});

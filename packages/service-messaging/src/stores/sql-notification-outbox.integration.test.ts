import type { Store } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';
import {
  emptyTables,
  ManualClock,
  notificationOutboxConformance,
  TEST_STORE_NAMES,
  type TestDatabase,
  testDatabase,
} from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { SqlNotificationOutbox } from './sql-notification-outbox.js';

/** One database serves all tests of a store; the clock of the test at hand moves it. */
let current: Clock = new ManualClock();
const clock: Clock = {
  manual: true,
  now: () => current.now(),
  monotonic: () => current.monotonic(),
  setTimeout: (fn, delayMs) => current.setTimeout(fn, delayMs),
};

describe.each(TEST_STORE_NAMES)('on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  let second: Store;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock });
    await store.migrate(messagingMigrations);
    second = name === 'memory' ? store : await database.open({ clock });
  });
  afterAll(() => database.drop());
  afterEach(() => expect(store.audit.findings()).toEqual([]));

  notificationOutboxConformance({
    name: `SqlNotificationOutbox on ${name}`,
    api: { describe, it, beforeEach, afterEach },
    capabilities: 'all',
    propertyRuns: 20,
    async create(ports) {
      current = ports.clock;
      await emptyTables(store, messagingMigrations.tenantTables);
      return {
        outbox: new SqlNotificationOutbox({ store, random: ports.random }),
        close() {},
        secondNode: () => new SqlNotificationOutbox({ store: second, random: ports.random }),
        transaction: (fn) => store.transaction(fn),
      };
    },
  });
});

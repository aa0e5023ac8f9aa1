import type { Store } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';
import {
  clockSwitch,
  emptyTables,
  ManualClock,
  notificationOutboxConformance,
  type OutboxSection,
  TEST_STORE_NAMES,
  type TestDatabase,
  type TestStoreName,
  testDatabase,
} from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { SqlNotificationOutbox } from './sql-notification-outbox.js';

/** Sections in a file of their own, `sql-notification-outbox.<section>.integration.test.ts`: a remote database takes its time over each. */
export const SECTIONS_APART = ['claim-tokens', 'digests', 'histories', 'partitions', 'state-table'] as const satisfies OutboxSection[];

/** Random histories per store. Those that speak the SQL of another need fewer, and every step of one is an exchange on the remote one. */
const HISTORIES: Readonly<Record<TestStoreName, number>> = { memory: 20, sqlite: 20, libsql: 10, 'libsql-remote': 3, postgres: 20 };

/** One database serves all tests of a store; the clock of the test at hand moves it. */
const { clock, choose } = clockSwitch();

/** Two nodes of one store, as the tests beside the suite get them. */
export interface TwoNodes {
  readonly clock: Clock;
  readonly outboxes: readonly [SqlNotificationOutbox, SqlNotificationOutbox];
}

/**
 * Sections of the conformance suite over the SQL outbox on every store.
 *
 * @param beside defines more tests for each store; what it is given makes the tables empty.
 */
export function sqlOutboxConformance(sections: readonly OutboxSection[], beside?: (nodes: () => Promise<TwoNodes>) => void): void {
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
      sections,
      propertyRuns: HISTORIES[name],
      async create(ports) {
        choose(ports.clock);
        await emptyTables(store, messagingMigrations.tenantTables);
        return {
          outbox: new SqlNotificationOutbox({ store, random: ports.random }),
          close() {},
          secondNode: () => new SqlNotificationOutbox({ store: second, random: ports.random }),
          transaction: (fn) => store.transaction(fn),
        };
      },
    });

    beside?.(async () => {
      choose(new ManualClock());
      await emptyTables(store, messagingMigrations.tenantTables);
      return { clock, outboxes: [new SqlNotificationOutbox({ store }), new SqlNotificationOutbox({ store: second })] };
    });
  });
}

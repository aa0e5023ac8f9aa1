import type { Store } from '@bellhop/contracts';
import {
  clockSwitch,
  emptyTables,
  type JobStoreSection,
  jobStoreConformance,
  TEST_STORE_NAMES,
  type TestDatabase,
  testDatabase,
} from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueMigrations } from '../migrations/queue-migrations.js';
import { SqlJobStore } from './sql-job-store.js';

/** One database serves all tests of a store; the clock of the test at hand moves it. */
const { clock, choose } = clockSwitch();

/** Sections of the conformance suite over the SQL job store on every store. */
export function sqlJobConformance(sections: readonly JobStoreSection[]): void {
  describe.each(TEST_STORE_NAMES)('on %s', (name) => {
    let database: TestDatabase;
    let store: Store;
    let second: Store;

    beforeAll(async () => {
      database = await testDatabase(name);
      store = await database.open({ clock });
      await store.migrate(queueMigrations);
      second = name === 'memory' ? store : await database.open({ clock });
    });
    afterAll(() => database.drop());
    afterEach(() => expect(store.audit.findings()).toEqual([]));

    jobStoreConformance({
      name: `SqlJobStore on ${name}`,
      api: { describe, it, beforeEach, afterEach },
      durable: name !== 'memory',
      sections,
      propertyRuns: name === 'libsql-remote' ? 5 : 20,
      async create(ports) {
        choose(ports.clock);
        await emptyTables(store, ['queue_job', 'queue_pause']);
        return {
          store: new SqlJobStore({ store, random: ports.random }),
          close() {},
          secondNode: () => new SqlJobStore({ store: second, random: ports.random }),
          transaction: (fn) => store.transaction(fn),
        };
      },
    });
  });
}

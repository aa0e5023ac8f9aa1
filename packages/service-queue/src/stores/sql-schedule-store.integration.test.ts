import type { Store } from '@bellhop/contracts';
import { clockSwitch, emptyTables, scheduleStoreConformance, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueMigrations } from '../migrations/queue-migrations.js';
import { SqlJobStore } from './sql-job-store.js';
import { SqlScheduleStore } from './sql-schedule-store.js';

/** One database serves all tests of a store; the clock of the test at hand moves it. */
const { clock, choose } = clockSwitch();

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

  scheduleStoreConformance({
    name: `SqlScheduleStore on ${name}`,
    api: { describe, it, beforeEach, afterEach },
    durable: name !== 'memory',
    async create({ clock: testClock, random }) {
      choose(testClock);
      await emptyTables(store, ['queue_job', 'queue_schedule', 'queue_schedule_run']);
      return {
        store: new SqlScheduleStore({ store, random }),
        jobs: new SqlJobStore({ store, random }),
        close() {},
        secondNode: () => new SqlScheduleStore({ store: second, random }),
      };
    },
  });
});

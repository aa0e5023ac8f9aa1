import type { NewJob, PublishOptions, Store } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';
import { ManualClock, type StatementCost, statementCost, type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';
import { checkJob } from '../job-input.js';
import { queueMigrations } from '../migrations/queue-migrations.js';
import { SqlJobStore } from './sql-job-store.js';
import { SqlScheduleStore } from './sql-schedule-store.js';

/** A database with the queue's tables, and two nodes on it; in memory the second is the first. */
export interface TwoJobStores {
  readonly clock: ManualClock;
  readonly database: TestDatabase;
  readonly store: Store;
  readonly jobs: SqlJobStore;
  readonly second: SqlJobStore;
  /** Beside `jobs`, for both. */
  readonly schedules: SqlScheduleStore;
  /** A job as `publish` makes it. Ids rise. */
  job(options?: PublishOptions, queue?: string): NewJob;
  count(where?: Readonly<Record<string, unknown>>): Promise<number>;
  /** What reached the driver of the first node meanwhile. */
  cost(work: () => unknown): Promise<StatementCost>;
}

export async function twoJobStores(name: TestStoreName): Promise<TwoJobStores> {
  const clock = new ManualClock();
  const database = await testDatabase(name);
  const store = await database.open({ clock });
  await store.migrate(queueMigrations);
  const other = name === 'memory' ? store : await database.open({ clock });
  return {
    clock,
    database,
    store,
    jobs: new SqlJobStore({ store }),
    second: new SqlJobStore({ store: other }),
    schedules: new SqlScheduleStore({ store }),
    job: jobMaker(clock),
    count: async (where = {}) => Number((await store.knex('queue_job').where(where).count({ n: '*' }).first())?.n),
    cost: (work) => statementCost(store, work),
  };
}

/** A job as `publish` makes it. Ids rise. */
export function jobMaker(clock: Clock) {
  let made = 0;
  return (options: PublishOptions = {}, queue = 'mail'): NewJob => {
    made += 1;
    const id = `job-${String(made).padStart(8, '0')}`;
    return checkJob({ queue, data: { made }, options }, { id: () => id, now: clock.now() });
  };
}

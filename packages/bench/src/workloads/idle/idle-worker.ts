import { QueueWorker, queueMigrations, SqlJobStore } from '@bellhop/service-queue';
import { ManualClock } from '@bellhop/testing';
import { countIdle, type IdleLoop } from './idle-loop.js';

/** The queue worker with one subscription to each of so many queues: one survey a tick, however many there are. */
export function idleWorker(queues: number): IdleLoop {
  return {
    perTick: 1,
    readsOnly: true,
    async measure(database, forMs) {
      const clock = new ManualClock();
      const store = await database.open({ clock });
      await store.migrate(queueMigrations);
      const worker = new QueueWorker({ jobs: new SqlJobStore({ store }), clock: store.clock });
      for (let n = 0; n < queues; n += 1) worker.subscribe(`queue-${n}`, () => undefined);
      return countIdle(worker, { store, clock, forMs });
    },
  };
}

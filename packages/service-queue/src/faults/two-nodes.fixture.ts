import { ManualClock } from '@bellhop/testing';
import { queueBench } from '../queue-bench.fixture.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';
import { MemoryScheduleStore } from '../stores/memory-schedule-store.js';
import { twoJobStores } from '../stores/sql-jobs.fixture.js';

export const NODE_STORES = ['memory', 'sqlite'] as const;

/** Two processes on one store: each has a service and a worker of its own, and on SQLite a connection. */
export async function twoNodes(name: (typeof NODE_STORES)[number]) {
  if (name === 'memory') {
    const clock = new ManualClock();
    const memory = new MemoryJobStore({ clock });
    const memorySchedules = new MemoryScheduleStore({ clock, jobs: memory });
    return {
      clock,
      one: queueBench({ clock, memory, memorySchedules }),
      two: queueBench({ clock, memory, memorySchedules, seed: 2 }),
      end: async () => {},
    };
  }
  const { clock, jobs, second, schedules, database } = await twoJobStores(name);
  return {
    clock,
    one: queueBench({ clock, memory: jobs, memorySchedules: schedules }),
    two: queueBench({ clock, memory: second, memorySchedules: schedules, seed: 2 }),
    end: () => database.drop(),
  };
}

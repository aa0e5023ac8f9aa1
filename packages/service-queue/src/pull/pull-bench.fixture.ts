import type { Job, JobStore, PublishOptions } from '@bellhop/contracts';
import { silentLogger } from '@bellhop/kernel';
import { failingCalls, ManualClock, seededRandom } from '@bellhop/testing';
import { type JobsAnnounced, QueueService } from '../queue-service.js';
import { MemoryJobStore } from '../stores/memory-job-store.js';
import { JobPull, type JobPullOptions } from './job-pull.js';

/** Pulled jobs over a memory store and a manual clock. Calls go through a fault injector that counts them. */
export function pullBench(options: Partial<Omit<JobPullOptions, 'jobs' | 'clock'>> = {}) {
  const clock = new ManualClock();
  const random = seededRandom();
  const memory = new MemoryJobStore({ clock, random });
  const faults = failingCalls<JobStore>(memory);
  const logged: string[] = [];
  const log = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const announce = ({ queue, dueAt }: JobsAnnounced): void => {
    if (dueAt <= clock.now()) pull.wake(queue);
    else pull.due(dueAt);
  };
  const logger = { ...silentLogger, warn: log, error: log };
  const pull: JobPull = new JobPull({ random, logger, onAnnounced: announce, ...options, jobs: faults.port, clock });
  const [service, silent] = [new QueueService({ clock, random }), new QueueService({ clock, random })];
  service.attach({ jobs: memory, onAnnounced: announce });
  silent.attach({ jobs: memory });
  pull.start();
  return {
    clock,
    memory,
    faults,
    pull,
    logged,
    service,
    publish: async (queue: string, data: unknown = null, given: PublishOptions = {}) =>
      (await service.publish(queue, data, { organizationId: 'acme', ...given })).id,
    /** As another process does whose signal is lost. */
    publishSilently: async (queue: string, data: unknown = null, given: PublishOptions = {}) =>
      (await silent.publish(queue, data, { organizationId: 'acme', ...given })).id,
    job: async (id: string): Promise<Job> => {
      const job = await memory.get(id);
      if (!job) throw new Error(`No job ${id}.`);
      return job;
    },
    calls: () =>
      Object.fromEntries(
        (['survey', 'claim', 'promote', 'release', 'get', 'ack', 'renew', 'progress'] as const)
          .map((name) => [name, faults.calls(name)] as const)
          .filter(([, count]) => count > 0),
      ),
  };
}

/** Lets what is under way get on: a memory store answers within a few turns. */
export const turns = async (): Promise<void> => {
  for (let left = 10; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
};

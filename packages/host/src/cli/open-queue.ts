import { type IQueueService, QUEUE, STORE } from '@bellhop/contracts';
import { BellhopError, Kernel } from '@bellhop/kernel';
import { queuePlugin } from '@bellhop/service-queue';
import type { Flags } from '../config/settings.js';
import { withExistingDatabase } from './open-database.js';

/**
 * Runs a command on the queues of the configured database, beside hosts that may be running on it: they hear of what it changes. It works no job
 * itself.
 *
 * @param missing takes the path of the file where there is no database.
 * @throws BellhopError `CONFIG` where the jobs live inside a host; what opening the store throws.
 */
export async function withQueue<T>(flags: Flags, command: (queues: IQueueService) => Promise<T>, missing: (file: string) => T): Promise<T> {
  return withExistingDatabase(
    flags,
    async (store, { options: { queue } }) => {
      if (queue?.jobs === 'memory') {
        throw new BellhopError('CONFIG', 'The config keeps jobs in memory (queue.jobs), inside the host; no command can reach them.');
      }
      // The store is open already, and is not the kernel's to close.
      const kernel = new Kernel().use({ name: 'store' }).use(queuePlugin({ ...queue, work: false }));
      kernel.bind(STORE, store);
      await kernel.start();
      try {
        return await command(kernel.resolve(QUEUE));
      } finally {
        await kernel.stop();
      }
    },
    missing,
  );
}

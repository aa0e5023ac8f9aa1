/**
 * Runs every write statement of the product once, through the interfaces that applications use, on a store of the caller's choice. The order is
 * always the same, and nothing runs beside it: the n-th write of one drive is the n-th of the next.
 *
 * Whoever adds a write statement adds here what runs it.
 */
import {
  type ClaimedJob,
  type ClaimOptions,
  type INotificationOutbox,
  JOB_STORE,
  MESSAGING,
  NOTIFICATION_OUTBOX,
  QUEUE,
  SCHEDULE_STORE,
  STORE,
  type Store,
} from '@bellhop/contracts';
import { type Clock, Kernel } from '@bellhop/kernel';
import { QueueSchedules } from '@bellhop/service-queue';
import type { ManualClock } from '@bellhop/testing';
import { checkWrite } from './cli/doctor/database-checks.js';
import type { HostOptions } from './config/host-config.js';
import { KeyStore } from './keys/key-store.js';
import { hostPlugins } from './plugins.js';
import { driveBoard } from './tenant-audit-board.fixture.js';

const ORGANIZATION = 'acme';
const USER = 'ada';

export async function driveEveryWrite(store: Store, clock: ManualClock): Promise<void> {
  await withHost(store, clock, { outbox: 'sql' }, driveOutbox);
  await withHost(store, clock, { outbox: 'none' }, driveInbox);
  await withHost(store, clock, {}, driveJobs);
  await withHost(store, clock, {}, (kernel) => driveSchedules(kernel, clock));
  await driveKeys(store);
  await checkWrite(store);
  await driveBoard(store, clock);
}

/** The plugins of a host, without its loops: a tick would write when it likes. */
async function withHost(store: Store, clock: Clock, messaging: HostOptions['messaging'], drive: (kernel: Kernel) => Promise<void>) {
  const kernel = new Kernel({ clock });
  kernel.bind(STORE, store);
  for (const plugin of hostPlugins({ database: { url: 'memory:' }, messaging: { ...messaging, dispatch: false }, queue: { work: false } }))
    kernel.use(plugin);
  await kernel.start();
  try {
    await drive(kernel);
  } finally {
    await kernel.stop();
  }
}

async function driveOutbox(kernel: Kernel): Promise<void> {
  const messaging = kernel.resolve(MESSAGING);
  const outbox = kernel.resolve(NOTIFICATION_OUTBOX) as Required<INotificationOutbox>;
  const row = { organizationId: ORGANIZATION, recipientId: USER, channel: 'inbox', topic: 't', payload: {} };
  const claim: ClaimOptions = { nodeId: 'node', limit: 10, channels: ['inbox'], claimTtlMs: 60_000, skipReap: true };

  await messaging.emit({ organizationId: ORGANIZATION, topic: 't', audience: ['ada', 'bob'] });
  const cancelled = await outbox.enqueue({ ...row, notificationId: 'cancelled' });
  await messaging.cancel({ organizationId: ORGANIZATION, deliveryId: cancelled });
  await outbox.enqueueMany([{ ...row, notificationId: 'digested', digestKey: 'daily' }]);
  await outbox.reap({ claimTtlMs: claim.claimTtlMs });
  const [first, second] = await outbox.claim(claim);
  await outbox.renew([first!], claim.claimTtlMs);
  await outbox.ack(first!, { success: true });
  await outbox.release([second!]);
  await outbox.claimDigest(claim);
}

async function driveInbox(kernel: Kernel): Promise<void> {
  const messaging = kernel.resolve(MESSAGING);
  const caller = { organizationId: ORGANIZATION, userId: USER };
  await messaging.emit({ organizationId: ORGANIZATION, topic: 't', audience: USER });
  const { items } = await messaging.inbox.list(caller);
  const ids = items.map(({ id }) => id);
  await messaging.inbox.mark(caller, ids, 'clicked');
  await messaging.inbox.markAllRead(caller);
  await messaging.inbox.archive(caller, ids);
}

async function driveJobs(kernel: Kernel): Promise<void> {
  const [queue, jobs] = [kernel.resolve(QUEUE), kernel.resolve(JOB_STORE)];
  const of = { organizationId: ORGANIZATION };
  const leaseMs = 60_000;
  const claim = (...queues: readonly (readonly [queue: string, limit: number])[]): Promise<ClaimedJob[]> =>
    jobs.claim({ workerId: 'worker', queues: queues.map(([name, limit]) => ({ queue: name, limit, leaseMs })) });

  await queue.publish('mail', 1, of);
  await queue.publishMany('mail', [
    { data: 2, options: of },
    { data: 3, options: of },
  ]);
  await queue.publish('mail', 4, { ...of, idempotencyKey: 'key' });
  await queue.publish('capped', 5, { ...of, groupKey: 'group', groupConcurrency: 1 });
  const [completed] = await claim(['mail', 1]);
  const [released, dead] = await claim(['mail', 2], ['capped', 1]);
  await jobs.renew([{ claim: completed!, leaseMs }]);
  await jobs.progress(completed!, 50);
  await jobs.ack([{ claim: completed!, result: { outcome: 'completed' } }]);
  await jobs.release([released!]);
  await jobs.ack([{ claim: dead!, result: { outcome: 'dead', error: 'no such mailbox' } }]);
  await queue.replay(dead!.id, of);
  await queue.replayAll('mail', of);
  await queue.reschedule(released!.id, 0, of);
  await queue.cancel(dead!.id, of);
  await queue.pause('mail');
  await queue.resume('mail');
  await queue.purge('mail', of);
  await jobs.purgeFailed(dead!.id, of);
  await jobs.promote({ limit: 10 });
  await jobs.reclaim({ limit: 10 });
  await jobs.sweep({ completedBefore: 0, deadBefore: 0, limit: 10 });
}

async function driveSchedules(kernel: Kernel, clock: Clock): Promise<void> {
  const [queue, store] = [kernel.resolve(QUEUE), kernel.resolve(SCHEDULE_STORE)];
  const schedules = new QueueSchedules({ store, jobs: kernel.resolve(JOB_STORE), clock });
  const spec = { queue: 'report', organizationId: ORGANIZATION };
  await queue.schedule('daily', { ...spec, timing: { once: clock.now() + 60_000 } });
  await queue.schedule('daily', { ...spec, timing: { once: clock.now() } });
  await schedules.fireDue();
  await queue.pauseSchedule('daily');
  await queue.unschedule('daily');
  await store.sweepRuns({ createdBefore: 0, limit: 10 });
}

async function driveKeys(store: Store): Promise<void> {
  const keys = new KeyStore(store);
  await keys.createFirst();
  const { id } = await keys.create(ORGANIZATION);
  await keys.revoke(id);
}

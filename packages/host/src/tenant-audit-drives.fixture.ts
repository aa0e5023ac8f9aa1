/**
 * Runs every write statement of the product once, through the interfaces that applications use, on a store of the caller's choice. The order is
 * always the same, and nothing runs beside it: the n-th write of one drive is the n-th of the next.
 *
 * Whoever adds a write statement adds here what runs it.
 */
import { type ClaimOptions, type INotificationOutbox, MESSAGING, NOTIFICATION_OUTBOX, STORE, type Store } from '@bellhop/contracts';
import { type Clock, Kernel } from '@bellhop/kernel';
import { checkWrite } from './cli/doctor/database-checks.js';
import type { HostOptions } from './config/host-config.js';
import { KeyStore } from './keys/key-store.js';
import { hostPlugins } from './plugins.js';

const ORGANIZATION = 'acme';
const USER = 'ada';

export async function driveEveryWrite(store: Store, clock: Clock): Promise<void> {
  await withHost(store, clock, { outbox: 'sql' }, driveOutbox);
  await withHost(store, clock, { outbox: 'none' }, driveInbox);
  await driveKeys(store);
  await checkWrite(store);
}

/** The plugins of a host, without its loops: a tick would write when it likes. */
async function withHost(store: Store, clock: Clock, messaging: HostOptions['messaging'], drive: (kernel: Kernel) => Promise<void>) {
  const kernel = new Kernel({ clock });
  kernel.bind(STORE, store);
  for (const plugin of hostPlugins({ database: { url: 'memory:' }, messaging: { ...messaging, dispatch: false } })) kernel.use(plugin);
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

async function driveKeys(store: Store): Promise<void> {
  const keys = new KeyStore(store);
  await keys.createFirst();
  const { id } = await keys.create(ORGANIZATION);
  await keys.revoke(id);
}

import { ManualClock, TEST_STORE_NAMES, testDatabase } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { NotificationDispatcher } from './dispatcher/notification-dispatcher.js';
import { messagingMigrations } from './migrations/messaging-migrations.js';
import { SqlNotificationOutbox } from './stores/sql-notification-outbox.js';

const UNSCOPED = 'UPDATE notification_delivery SET updated_at = updated_at';
const unscopedWrite = {
  label: 'control',
  operation: 'update',
  table: 'notification_delivery',
  sql: { sqlite: UNSCOPED, postgres: UNSCOPED },
} as const;

it.each(TEST_STORE_NAMES)(
  '[outbox-scope] the dispatcher claims, acks and reaps across organizations without a finding (control: an unscoped write is one), on %s',
  async (name) => {
    const database = await testDatabase(name);
    const clock = new ManualClock();
    const store = await database.open({ clock });
    await store.migrate(messagingMigrations);
    const outbox = new SqlNotificationOutbox({ store });
    const inbox = { id: 'inbox', send: async () => ({ ok: true as const }) };
    const channels = { ids: () => ['inbox'], get: () => inbox };
    const dispatcher = new NotificationDispatcher({ outbox, channels, clock });
    await outbox.enqueueMany(
      ['acme', 'umbrella'].map((organizationId) => ({
        organizationId,
        notificationId: organizationId,
        recipientId: 'ada',
        channel: 'inbox',
        payload: { title: 'Hello' },
      })),
    );
    await outbox.claim({ claimTtlMs: 5_000, channels: ['inbox'], nodeId: 'dead', limit: 10 });
    await clock.advance(5_000);
    await dispatcher.tick();
    const { items } = await outbox.list({ status: 'success' });
    expect(items.map(({ organizationId }) => organizationId).sort()).toEqual(['acme', 'umbrella']);
    expect(store.audit.isTenantScoped('notification_delivery')).toBe(true);
    expect(store.audit.findings()).toEqual([]);
    await store.write(unscopedWrite, {}, undefined);
    expect(store.audit.findings()).toHaveLength(1);
    await dispatcher.stop();
    await database.drop();
  },
);

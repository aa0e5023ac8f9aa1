import { openStore } from '@bellhop/store';
import { HRANA_FAULTS, startHranaServer } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { preparedEmits } from './prepared-emit.fixture.js';
import { SqlEmitWriter } from './sql-emit-writer.js';
import { SqlNotificationOutbox } from './sql-notification-outbox.js';

const emit = preparedEmits(Date.UTC(2026, 0, 1));

it.each(HRANA_FAULTS)('[emit-resent] an emit over remote libSQL is written once, with the ids it was given: %s', async (fault) => {
  const server = await startHranaServer({ busyTimeoutMs: 0 });
  const store = await openStore({ url: server.url });
  await store.migrate(messagingMigrations);
  const prepared = emit({ recipients: 3, dedupKey: 'k' });
  server.failNext(fault, 2);
  const written = await new SqlEmitWriter(store).write([prepared]);
  const ids = prepared.deliveries.map(({ id }) => id);
  expect(written).toEqual([{ notificationId: prepared.event.id, deduped: false, deliveryIds: ids }]);
  expect(await store.knex('notification').pluck('id')).toEqual([prepared.event.id]);
  expect(await store.knex('notification_delivery').orderBy('id').pluck('id')).toEqual(ids);
  // The enqueue converges in the same way.
  server.failNext(fault, 2);
  const outbox = new SqlNotificationOutbox({ store });
  const id = await outbox.enqueue({ notificationId: 'n', recipientId: 'r', channel: 'inbox', payload: { title: 't' } });
  expect(await store.knex('notification_delivery').where({ notification_id: 'n' }).pluck('id')).toEqual([id]);
  await store.close();
  await server.close();
});

import { flakyChannel } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { NotificationDispatcher } from '../dispatcher/notification-dispatcher.js';
import { sqlOutboxConformance } from './sql-notification-outbox.fixture.js';

sqlOutboxConformance(['digests'], (nodes) => {
  it('[digest-whole] two dispatchers send one digest once', async () => {
    const { clock, outboxes } = await nodes();
    const channel = flakyChannel({ id: 'inbox' });
    const channels = { ids: () => ['inbox'], get: () => channel };
    const dispatchers = outboxes.map((outbox) => new NotificationDispatcher({ outbox, channels, clock }));
    const row = { recipientId: 'ada', channel: 'inbox', payload: { title: 'Hello' }, digestKey: 'ada|inbox|today' };
    await outboxes[0].enqueueMany(Array.from({ length: 40 }, (_, index) => ({ ...row, notificationId: `event-${index}` })));
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.tick()));
    expect(channel.sent.map(({ payload }) => payload.count)).toEqual([40]);
    for (const dispatcher of dispatchers) await dispatcher.stop();
  });
});

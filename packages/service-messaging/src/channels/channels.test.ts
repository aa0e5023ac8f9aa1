import type { ChannelContext, ChannelDelivery } from '@bellhop/contracts';
import { type LogFields, type Logger, silentLogger } from '@bellhop/kernel';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { MemoryInboxStore } from '../stores/memory-inbox-store.js';
import { InboxChannel } from './inbox-channel.js';
import { LogChannel } from './log-channel.js';

const delivery: ChannelDelivery = {
  deliveryId: 'd1',
  notificationId: 'n1',
  organizationId: 'acme',
  recipientId: 'u1',
  topic: 'order.placed',
  title: 'Thank you',
  body: 'B',
  severity: 'warning',
  actionUrl: '/x',
  payload: { secret: 's' },
  attempt: 1,
  createdAt: 1,
};

function context(clock: ManualClock, logger: Logger = silentLogger): ChannelContext {
  return { clock, logger, signal: new AbortController().signal, idempotencyKey: 'd1' };
}

describe('InboxChannel', () => {
  it('puts the notification into the inbox of recipient and organization, on top', async () => {
    const store = new MemoryInboxStore();
    const clock = new ManualClock();
    const sent = await new InboxChannel({ store }).send(context(clock), delivery);
    expect(sent.ok).toBe(true);
    expect(await store.list({ organizationId: 'acme', userId: 'u1' }, { archived: false, limit: 10 })).toEqual([
      {
        id: sent.externalId,
        notificationId: 'n1',
        topic: 'order.placed',
        title: 'Thank you',
        body: 'B',
        severity: 'warning',
        actionUrl: '/x',
        state: 'delivered',
        read: false,
        archived: false,
        createdAt: clock.now(),
      },
    ]);
    expect(await store.countUnread({ organizationId: 'umbrella', userId: 'u1' })).toBe(0);
  });

  it('[B8] is idempotent: one row per event and user, however often it is sent (control: another event, another user)', async () => {
    const store = new MemoryInboxStore();
    const clock = new ManualClock();
    const channel = new InboxChannel({ store });
    const first = await channel.send(context(clock), delivery);
    await store.mark({ organizationId: 'acme', userId: 'u1' }, [first.externalId as string], 'clicked', clock.now());
    await clock.advance(1_000);
    expect(await channel.send(context(clock), { ...delivery, attempt: 2, title: 'Changed' })).toEqual(first);
    const items = await store.list({ organizationId: 'acme', userId: 'u1' }, { archived: false, limit: 10 });
    expect(items.map(({ title, state }) => [title, state])).toEqual([['Thank you', 'clicked']]);
    await channel.send(context(clock), { ...delivery, notificationId: 'n2' });
    await channel.send(context(clock), { ...delivery, recipientId: 'u2' });
    expect(await store.countUnread({ organizationId: 'acme', userId: 'u1' })).toBe(1);
    expect(await store.countUnread({ organizationId: 'acme', userId: 'u2' })).toBe(1);
  });
});

describe('LogChannel', () => {
  it('writes one line with ids and the title, and neither body nor payload', async () => {
    const lines: LogFields[] = [];
    const logger: Logger = { ...silentLogger, info: (fields) => void lines.push(fields) };
    expect(await new LogChannel().send(context(new ManualClock(), logger), delivery)).toEqual({ ok: true });
    expect(lines).toEqual([
      {
        deliveryId: 'd1',
        notificationId: 'n1',
        organizationId: 'acme',
        recipientId: 'u1',
        topic: 'order.placed',
        title: 'Thank you',
        severity: 'warning',
        attempt: 1,
      },
    ]);
  });

  it('can stand in for another channel', () => {
    expect(new LogChannel().id).toBe('log');
    expect(new LogChannel({ id: 'email' }).id).toBe('email');
  });
});

import type { ClaimedDelivery } from '@bellhop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderDigest } from './digest.js';

function row(index: number, overrides: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    id: `row-${index}`,
    organizationId: 'acme',
    notificationId: `notification-${index}`,
    recipientId: 'ada',
    channel: 'email',
    topic: 'order.placed',
    payload: { title: `Title ${index}`, body: `Body ${index}`, actionUrl: `/orders/${index}` },
    status: 'in_flight',
    attempts: 1,
    dueAt: 500,
    digestKey: 'ada|email|today',
    slot: 0,
    claimedBy: 'node',
    claimedAt: 500,
    claimExpiresAt: 5_500,
    lastAttemptedAt: null,
    externalId: null,
    error: null,
    createdAt: 100 + index,
    updatedAt: 500,
    claimToken: 'token',
    digestGroup: 'group',
    ...overrides,
  };
}

describe('renderDigest', () => {
  test('one row is sent as it is', () => {
    expect(renderDigest([row(1)])).toMatchObject({
      deliveryId: 'row-1',
      title: 'Title 1',
      body: 'Body 1',
      severity: 'info',
      actionUrl: '/orders/1',
      payload: row(1).payload,
    });
  });

  test('many become one message that keeps every title, body, link and severity, oldest first', () => {
    const rows = [row(3, { payload: { title: 'Third', severity: 'warning' } }), row(1), row(2, { payload: {}, topic: 'order.shipped' })];
    expect(renderDigest(rows)).toEqual({
      deliveryId: expect.stringMatching(/^digest-[0-9a-f]{32}$/),
      notificationId: 'notification-1',
      organizationId: 'acme',
      recipientId: 'ada',
      topic: null,
      title: 'You have 3 notifications',
      body: '- Title 1\n- order.shipped\n- Third',
      severity: 'warning',
      actionUrl: null,
      attempt: 1,
      createdAt: 101,
      payload: {
        digest: true,
        count: 3,
        items: [
          {
            notificationId: 'notification-1',
            title: 'Title 1',
            body: 'Body 1',
            topic: 'order.placed',
            actionUrl: '/orders/1',
            severity: 'info',
          },
          { notificationId: 'notification-2', title: 'order.shipped', body: '', topic: 'order.shipped', actionUrl: null, severity: 'info' },
          { notificationId: 'notification-3', title: 'Third', body: '', topic: 'order.placed', actionUrl: null, severity: 'warning' },
        ],
      },
    });
  });

  test('the highest severity wins, and a common topic stays', () => {
    const rows = [row(1), row(2, { payload: { severity: 'critical' } }), row(3, { payload: { severity: 'warning' } })];
    expect(renderDigest(rows)).toMatchObject({ severity: 'critical', topic: 'order.placed' });
  });

  test('a row whose payload is broken shows untitled, and keeps no other from arriving', () => {
    const broken = [null, 'text', 7, { title: 7, body: [], severity: 'loud', actionUrl: {} }].map((payload, index) =>
      row(index, { payload: payload as never, topic: null }),
    );
    expect(renderDigest([...broken, row(9)]).body).toBe('- Notification\n- Notification\n- Notification\n- Notification\n- Title 9');
  });

  test('the delivery id is the same on every attempt, whatever the order and whichever rows are left', () => {
    const rows = [row(1), row(2), row(3)];
    const { deliveryId } = renderDigest(rows);
    expect(renderDigest([row(3, { attempts: 2, claimToken: 'other' }), row(2, { attempts: 2 })]).deliveryId).toBe(deliveryId);
    expect(renderDigest(rows.map((each) => ({ ...each, digestGroup: 'another' }))).deliveryId).not.toBe(deliveryId);
    expect(renderDigest(rows.map((each) => ({ ...each, digestGroup: null }))).deliveryId).toBe('row-1');
  });

  test('whatever the payloads, every row is an item', () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { minLength: 2, maxLength: 20 }), (payloads) => {
        const { payload, title } = renderDigest(payloads.map((each, index) => row(index, { payload: each as never })));
        expect(payload).toMatchObject({ count: payloads.length });
        expect(payload.items).toHaveLength(payloads.length);
        expect(title).toBe(`You have ${payloads.length} notifications`);
      }),
    );
  });
});

import type { ChannelDelivery, Delivery } from '@bellhop/contracts';

/** What a channel is handed for one delivery: its payload's meaningful keys in their places, defaults filled in. */
export function channelDelivery(
  delivery: Pick<Delivery, 'id' | 'organizationId' | 'notificationId' | 'recipientId' | 'topic' | 'payload' | 'attempts' | 'createdAt'>,
): ChannelDelivery {
  const { payload, topic } = delivery;
  return {
    deliveryId: delivery.id,
    notificationId: delivery.notificationId,
    organizationId: delivery.organizationId,
    recipientId: delivery.recipientId,
    topic,
    title: payload.title || topic || '',
    body: payload.body ?? '',
    severity: payload.severity ?? 'info',
    actionUrl: payload.actionUrl || null,
    payload,
    attempt: delivery.attempts,
    createdAt: delivery.createdAt,
  };
}

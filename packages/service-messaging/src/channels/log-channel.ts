import type { ChannelContext, ChannelDelivery, NotificationChannel, SendResult } from '@bellhop/contracts';

/**
 * Writes each notification as one log line, for first steps and for deployments without a transport. The title is shown, which no other
 * log line of Bellhop does: who mounts this channel asks for it. Body and payload are not.
 */
export class LogChannel implements NotificationChannel {
  readonly id: string;

  /** @param options.id default `log`; another id lets it stand in for a channel that is not set up yet. */
  constructor({ id = 'log' }: { readonly id?: string } = {}) {
    this.id = id;
  }

  async send({ logger }: ChannelContext, delivery: ChannelDelivery): Promise<SendResult> {
    const { deliveryId, notificationId, organizationId, recipientId, topic, title, severity, attempt } = delivery;
    logger.info({ deliveryId, notificationId, organizationId, recipientId, topic, title, severity, attempt }, 'notification');
    return { ok: true };
  }
}

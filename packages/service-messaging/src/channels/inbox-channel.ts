import type { ChannelContext, ChannelDelivery, NotificationChannel, SendResult } from '@bellhop/contracts';
import { type Random, systemRandom } from '@bellhop/kernel';
import { createIdSource, type IdSource } from '@bellhop/store';
import type { InboxStore } from '../inbox/inbox-store.js';

/**
 * Puts notifications into the recipient's inbox.
 *
 * Idempotent: one row per event and user, so a delivery that is sent again after its ack was lost shows once. The address is the
 * recipient's id as it is.
 */
export class InboxChannel implements NotificationChannel {
  readonly id = 'inbox';
  readonly #store: InboxStore;
  readonly #random: Random;
  #nextId: IdSource | undefined;

  constructor({ store, random = systemRandom }: { readonly store: InboxStore; readonly random?: Random }) {
    this.#store = store;
    this.#random = random;
  }

  async send({ clock }: ChannelContext, delivery: ChannelDelivery): Promise<SendResult> {
    this.#nextId ??= createIdSource({ clock, random: this.#random });
    const { organizationId, recipientId, notificationId, topic, title, body, severity, actionUrl } = delivery;
    const { id } = await this.#store.insert({
      id: this.#nextId(),
      organizationId,
      userId: recipientId,
      notificationId,
      topic,
      title,
      body,
      severity,
      actionUrl,
      // When it arrives, not when it was emitted: a message held back overnight belongs on top in the morning.
      createdAt: clock.now(),
    });
    return { ok: true, externalId: id };
  }
}

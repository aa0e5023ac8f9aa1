import type { ChannelDelivery, INotificationOutbox, NotificationChannel, SendResult } from '@bellhop/contracts';
import { type Logger, silentLogger } from '@bellhop/kernel';
import { ManualClock, ManualTransactions, seededRandom } from '@bellhop/testing';
import { InboxService } from './inbox/inbox-service.js';
import { type Enqueued, MessagingService } from './messaging-service.js';
import { MemoryEventStore } from './stores/memory-event-store.js';
import { MemoryInboxStore } from './stores/memory-inbox-store.js';
import { MemoryNotificationOutbox } from './stores/memory-notification-outbox.js';

/** A messaging service on memory stores, with what a test wants to look at. */
export function emitting({ clock = new ManualClock() }: { readonly clock?: ManualClock } = {}) {
  const random = seededRandom();
  const warnings: string[] = [];
  const errors: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (_fields, message) => void warnings.push(message),
    error: (_fields, message) => void errors.push(message),
    child: () => logger,
  };
  const { transaction, afterCommit } = new ManualTransactions();
  const events = new MemoryEventStore({ afterCommit });
  const inboxStore = new MemoryInboxStore();
  const outbox = new MemoryNotificationOutbox({ clock, random, afterCommit });
  const service = new MessagingService({ clock, random, logger, events, inbox: new InboxService(inboxStore, clock), afterCommit });
  const wakes: Enqueued[] = [];
  const withOutbox = (over: INotificationOutbox = outbox) =>
    service.setOutbox(over, { onEnqueued: (enqueued) => void wakes.push(enqueued) });
  return { clock, random, warnings, errors, transaction, afterCommit, events, inboxStore, outbox, service, wakes, withOutbox };
}

/** A channel that records what it is sent and answers as told. */
export function recordingChannel(
  id: string,
  answer: (delivery: ChannelDelivery) => SendResult | Promise<SendResult> = () => ({ ok: true }),
) {
  const sent: { delivery: ChannelDelivery; idempotencyKey: string }[] = [];
  const channel: NotificationChannel = {
    id,
    async send({ idempotencyKey }, delivery) {
      sent.push({ delivery, idempotencyKey });
      return answer(delivery);
    },
  };
  return { channel, sent };
}

export { channelDelivery } from './channel-delivery.js';
export { ChannelRegistry } from './channel-registry.js';
export { InboxChannel } from './channels/inbox-channel.js';
export { LogChannel } from './channels/log-channel.js';
export { createClaimToken, createIdSource, type IdSource } from './delivery-id.js';
export {
  type CheckedAck,
  type CheckedClaim,
  type CheckedDelivery,
  type CheckedPage,
  checkAck,
  checkCancelFilter,
  checkClaimOptions,
  checkDelivery,
  checkListFilter,
} from './delivery-input.js';
export { deliverySlot, type SlotRange, slotRange } from './delivery-slot.js';
export type { EmitWriter, EmitWritten, PreparedDelivery, PreparedEmit } from './emit-writer.js';
export type { EventInsert, EventStore, NewEvent } from './event-store.js';
export { InboxService } from './inbox/inbox-service.js';
export type { InboxQuery, InboxScope, InboxStore, NewInboxMessage } from './inbox/inbox-store.js';
export { advances, isRead, statesBelow } from './inbox/receipt-order.js';
export { type Enqueued, MessagingService, type MessagingServiceOptions, type OutboxWiring } from './messaging-service.js';
export { decodeCursor, encodeCursor, type PagePosition, toPage } from './page-cursor.js';
export { SplitEmitWriter } from './split-emit-writer.js';
export { MemoryEventStore, type MemoryEventStoreOptions } from './stores/memory-event-store.js';
export { MemoryInboxStore } from './stores/memory-inbox-store.js';
export { MemoryNotificationOutbox, type MemoryNotificationOutboxOptions } from './stores/memory-notification-outbox.js';

export { channelDelivery } from './channel-delivery.js';
export { ChannelRegistry } from './channel-registry.js';
export { InboxChannel } from './channels/inbox-channel.js';
export { LogChannel } from './channels/log-channel.js';
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
export type { AttemptReport, MountedChannels, NotificationDispatcherOptions } from './dispatcher/dispatcher-options.js';
export { type DispatcherCounters, NotificationDispatcher } from './dispatcher/notification-dispatcher.js';
export { NOTIFICATION_DISPATCHER } from './dispatcher-token.js';
export type { EmitWriter, EmitWritten, PreparedDelivery, PreparedEmit } from './emit-writer.js';
export type { EventInsert, EventStore, NewEvent } from './event-store.js';
export { InboxService } from './inbox/inbox-service.js';
export type { InboxQuery, InboxScope, InboxStore, NewInboxMessage } from './inbox/inbox-store.js';
export { advances, isRead, statesBelow } from './inbox/receipt-order.js';
export { SqlInboxStore } from './inbox/sql-inbox-store.js';
export type { MessagingPluginOptions } from './messaging-options.js';
export { messagingPlugin } from './messaging-plugin.js';
export { type Enqueued, MessagingService, type MessagingServiceOptions, type OutboxWiring } from './messaging-service.js';
export { messagingMigrations } from './migrations/messaging-migrations.js';
export { SplitEmitWriter } from './split-emit-writer.js';
export { MemoryEventStore, type MemoryEventStoreOptions } from './stores/memory-event-store.js';
export { MemoryInboxStore } from './stores/memory-inbox-store.js';
export { MemoryNotificationOutbox, type MemoryNotificationOutboxOptions } from './stores/memory-notification-outbox.js';
export { SqlEmitWriter } from './stores/sql-emit-writer.js';
export { SqlEventStore } from './stores/sql-event-store.js';
export { SqlNotificationOutbox, type SqlNotificationOutboxOptions } from './stores/sql-notification-outbox.js';

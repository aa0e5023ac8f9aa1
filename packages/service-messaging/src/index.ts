export { createClaimToken, createIdSource, type IdSource } from './delivery-id.js';
export { deliverySlot, type SlotRange, slotRange } from './delivery-slot.js';
export type { EmitWriter, EmitWritten, PreparedDelivery, PreparedEmit } from './emit-writer.js';
export type { EventInsert, EventStore, NewEvent } from './event-store.js';
export type { InboxQuery, InboxScope, InboxStore, NewInboxMessage } from './inbox/inbox-store.js';
export { advances, isRead, statesBelow } from './inbox/receipt-order.js';
export { MemoryNotificationOutbox, type MemoryNotificationOutboxOptions } from './stores/memory-notification-outbox.js';

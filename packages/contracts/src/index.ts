export type { ChangeSignal, ChangeSignals } from './change-signals.js';
export {
  type ClaimedDelivery,
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  type EnqueueDeliveryInput,
  type NotificationPayload,
  SEVERITIES,
  type Severity,
} from './delivery.js';
export { DISPATCH_LOCK, type DispatchLock, type DispatchLockHandle } from './dispatch-lock.js';
export type { Inbox, InboxCaller, InboxFilter, InboxItem, InboxPage, ReceiptState } from './inbox.js';
export {
  type EmitDelivery,
  type EmitInput,
  type EmitResult,
  MESSAGING,
  type Messaging,
  type NotificationRecord,
  type SuppressedChannel,
} from './messaging.js';
export type { MigratingPlugin, Migration, MigrationContext, MigrationReport, MigrationSet } from './migrations.js';
export {
  type ChannelContext,
  type ChannelDelivery,
  NOTIFICATION_CHANNEL,
  type NotificationChannel,
  type SendErrorClass,
  type SendResult,
} from './notification-channel.js';
export {
  type Ack,
  type AckOutcome,
  type AckResult,
  type CancelFilter,
  CLAIM_EXPIRED,
  type ClaimOptions,
  DELIVERY_ATTEMPT_LIMIT,
  type DeliveryFilter,
  type DeliveryPage,
  type INotificationOutbox,
  NOTIFICATION_OUTBOX,
  type ReapOptions,
  SLOT_COUNT,
  type Survey,
  type SurveyOptions,
} from './notification-outbox.js';
export type { BatchStep, Operation, SqlFamily, SqlParams, SqlValue, Statement, StatementResult, WriteScope } from './statement.js';
export type { MeterSnapshot, StatementCount, StatementMeter } from './statement-meter.js';
export { type BatchOptions, type Dialect, STORE, type Store, type StoreHealth } from './store.js';
export type { TenantAudit, TenantFinding, TenantPosture } from './tenant-audit.js';
export type { Transaction, TransactionOption } from './transaction.js';

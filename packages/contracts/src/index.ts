export { BOARD, type BoardScope, type IBoard, type InboundAdmission, type OperatorTodoFilter, type TodoCount } from './board.js';
export type {
  BoardConsumer,
  ClaimInput,
  ClaimNextInput,
  HeartbeatInput,
  HeldInput,
  Pushed,
  PushInput,
  ReleaseInput,
  SettleInput,
  TodoFilter,
} from './board-consumer.js';
export {
  BOARD_VERBS,
  type BoardEndpoint,
  type BoardVerb,
  DEFAULT_BOARD_VERBS,
  type VendedEndpoint,
  type VendInput,
} from './board-endpoint.js';
export type {
  BoardHooks,
  HookDisabledReason,
  MadeNotifyHook,
  NotifyHook,
  NotifyHookInput,
  NotifyHookList,
  OperatorHooks,
} from './board-notify-hook.js';
export {
  BOARD_WAKES,
  type BoardWakes,
  type ReadyHook,
  type ReadyReason,
  type ReadyTodo,
  type WakeOutcome,
  type WakeOutcomeKind,
  type WakeSql,
} from './board-wakes.js';
export {
  type AnsweredChallenge,
  type BoardWebhooks,
  type InboundRequest,
  type InboundWebhook,
  type InboundWebhookInput,
  type IngestResult,
  type MadeInboundWebhook,
  WEBHOOK_SOURCES,
  type WebhookSource,
  type WebhookTarget,
} from './board-webhook.js';
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
  type ClaimedJob,
  JOB_LEASE_EXPIRED,
  JOB_STATUSES,
  type Job,
  type JobBackoff,
  type JobResult,
  type JobStatus,
  type NewJob,
} from './job.js';
export {
  type Enqueued,
  type FailedJobFilter,
  JOB_STORE,
  type JobClaimOptions,
  type JobClaimOutcome,
  type JobPage,
  type JobScope,
  type JobStore,
  type JobSurvey,
  type JobSurveyOptions,
  type JobSweepOptions,
  type QueueClaim,
  type QueueStats,
} from './job-store.js';
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
export {
  type BatchItemOutcome,
  type BatchJobHandler,
  type IQueueService,
  type JobContext,
  type JobHandler,
  type JobMessage,
  type PublishOptions,
  QUEUE,
  type SubscribeOptions,
  type Subscription,
} from './queue.js';
export { type AskedReaperDuty, REAPER_DUTY, type ReaperDuty, type SqlReaperDuty } from './reaper-duty.js';
export type { MisfirePolicy, OverlapPolicy, Schedule, ScheduleRun, ScheduleSpec, ScheduleTiming } from './schedule.js';
export {
  type DueSchedule,
  type NewScheduleRun,
  type RunSweepOptions,
  SCHEDULE_STORE,
  type ScheduleFire,
  type ScheduleFireOutcome,
  type ScheduleStore,
  type StoredSchedule,
} from './schedule-store.js';
export { type IStall, type NudgeCounts, STALL, STALL_STATES, type StallExplanation, type StallState } from './stall.js';
export type { BatchStep, Operation, SqlFamily, SqlParams, SqlValue, Statement, StatementResult, WriteScope } from './statement.js';
export type { MeterSnapshot, StatementCount, StatementMeter } from './statement-meter.js';
export { type BatchOptions, type Dialect, STORE, type Store, type StoreHealth } from './store.js';
export type { TenantAudit, TenantFinding, TenantPosture } from './tenant-audit.js';
export {
  ATTEMPT_OUTCOMES,
  type AttemptDisposition,
  type AttemptOutcome,
  type ClaimedTodo,
  type ListedTodo,
  QUARANTINE_QUEUE,
  TODO_STATES,
  type Todo,
  type TodoAttempt,
  type TodoDetail,
  type TodoPage,
  type TodoState,
} from './todo.js';
export type { Transaction, TransactionOption } from './transaction.js';

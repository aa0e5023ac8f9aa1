export { type Child, type ChildExit, type ChildOptions, startChild, startNode } from './child-process.js';
export { type ClockSwitch, clockSwitch } from './clock-switch.js';
export type { ConformanceApi } from './conformance/conformance-api.js';
export {
  JOB_STORE_SECTIONS,
  type JobStoreConformanceOptions,
  type JobStoreSection,
  type JobStoreUnderTest,
} from './conformance/job-store/job-bench.js';
export { JOB_OPERATIONS, JOB_STATE_TABLE, type JobOperation, type JobTransition } from './conformance/job-store/job-state-table.js';
export { jobStoreConformance } from './conformance/job-store-conformance.js';
export {
  DELIVERY_OPERATIONS,
  DELIVERY_STATE_TABLE,
  type DeliveryOperation,
  type DeliveryTransition,
} from './conformance/notification-outbox/delivery-state-table.js';
export {
  type NotificationOutboxConformanceOptions,
  OUTBOX_CAPABILITIES,
  OUTBOX_SECTIONS,
  type OutboxCapability,
  type OutboxSection,
  type OutboxUnderTest,
} from './conformance/notification-outbox/outbox-bench.js';
export { notificationOutboxConformance } from './conformance/notification-outbox-conformance.js';
export type { ScheduleStoreConformanceOptions, ScheduleStoreUnderTest } from './conformance/schedule-store/schedule-bench.js';
export { scheduleStoreConformance } from './conformance/schedule-store-conformance.js';
export { seededRandom } from './conformance/seeded-random.js';
export { type BusyHolder, type BusyHolderOptions, busyHolder } from './faults/busy-holder.js';
export { type CallFault, type FailingCalls, failingCalls } from './faults/failing-calls.js';
export {
  type FailingOutbox,
  failingOutbox,
  type OutboxFault,
  type OutboxMethod,
  withoutCapabilities,
} from './faults/failing-outbox.js';
export { type FlakyChannel, type FlakyChannelOptions, flakyChannel, type SendOutcome } from './faults/flaky-channel.js';
export { canFillDisk, type FullDisk, fullDisk } from './faults/full-disk.js';
export { type TcpProxy, tcpProxy } from './faults/tcp-proxy.js';
export { HRANA_FAULTS, type HranaFault, type HranaServer, type HranaServerOptions, startHranaServer } from './hrana/hrana-server.js';
export { ManualClock, type ManualClockOptions, type RunOptions } from './manual-clock.js';
export { ManualTransactions } from './manual-transactions.js';
export type { PostgresDatabase } from './postgres/postgres-database.js';
export { type PostgresServer, type PostgresServerOptions, startPostgres } from './postgres/postgres-server.js';
export { postgresDatabase, type ThrowAwayPostgres, type ThrowAwayPostgresOptions } from './postgres/throw-away-postgres.js';
export { type StatementCost, statementCost } from './stores/statement-cost.js';
export {
  emptyTables,
  TEST_STORE_NAMES,
  type TestDatabase,
  type TestDatabaseOptions,
  type TestStoreName,
  type TestStorePorts,
  testDatabase,
} from './stores/test-stores.js';

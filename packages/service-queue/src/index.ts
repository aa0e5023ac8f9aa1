export { queueMigrations } from './migrations/queue-migrations.js';
export { QueueSchedules, type QueueSchedulesOptions } from './schedules/queue-schedules.js';
export { MemoryJobStore, type MemoryJobStoreOptions } from './stores/memory-job-store.js';
export { MemoryScheduleStore, type MemoryScheduleStoreOptions } from './stores/memory-schedule-store.js';
export { SqlJobStore, type SqlJobStoreOptions } from './stores/sql-job-store.js';
export { SqlScheduleStore, type SqlScheduleStoreOptions } from './stores/sql-schedule-store.js';

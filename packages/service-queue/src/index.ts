export { queueMigrations } from './migrations/queue-migrations.js';
export { MemoryJobStore, type MemoryJobStoreOptions } from './stores/memory-job-store.js';
export { SqlJobStore, type SqlJobStoreOptions } from './stores/sql-job-store.js';

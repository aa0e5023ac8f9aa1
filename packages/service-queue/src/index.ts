export { queueMigrations } from './migrations/queue-migrations.js';
export { SqlJobStore, type SqlJobStoreOptions } from './stores/sql-job-store.js';

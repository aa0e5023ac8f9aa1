import type { MigrationSet } from '@bellhop/contracts';

/** Longest names and ids, in characters; the input checks enforce the same. */
const NAME = 255;

/**
 * The tables of service-queue. Data and options are JSON text; times are epoch milliseconds; every job names its organization.
 *
 * Each index costs every job that passes through it, so all are partial: a job is in the one of its state, and in no other. Names are compared by
 * their bytes, on Postgres too: lanes and ids have one order everywhere. `due_at` and `queue` stand at the end of some indexes so that statistics
 * are counted in them alone.
 */
export const queueMigrations: MigrationSet = {
  plugin: 'service-queue',
  tenantTables: ['queue_job', 'queue_schedule', 'queue_schedule_run'],
  migrations: [
    {
      number: 1,
      name: 'jobs and paused queues',
      kind: 'additive',
      up: ({ schema, family }) => {
        const name = family === 'postgres' ? `varchar(${NAME}) COLLATE "C"` : `varchar(${NAME})`;
        return [
          schema().createTable('queue_job', (table) => {
            table.specificType('id', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('queue', name).notNullable();
            table.string('status', 16).notNullable();
            table.specificType('lane', family === 'postgres' ? 'text COLLATE "C"' : 'text').notNullable();
            table.integer('group_limit');
            table.integer('priority').notNullable();
            table.bigInteger('rank_at').notNullable();
            table.bigInteger('due_at').notNullable();
            table.integer('attempts').notNullable();
            table.integer('max_attempts').notNullable();
            table.string('idempotency_token', NAME);
            table.bigInteger('idempotency_until');
            table.text('claim_token');
            table.string('claimed_by', NAME);
            table.bigInteger('locked_until');
            table.integer('progress').notNullable();
            table.text('last_error');
            table.bigInteger('created_at').notNullable();
            table.bigInteger('updated_at').notNullable();
            table.bigInteger('finished_at');
            // Last, for SQLite reads a row from its start: what is long is passed by nobody.
            table.text('options');
            table.text('data').notNullable();
          }),
          `CREATE INDEX queue_job_claim ON queue_job (queue, lane, rank_at, id, due_at) WHERE status = 'pending' AND group_limit IS NULL`,
          `CREATE INDEX queue_job_capped ON queue_job (queue, lane, rank_at, id, due_at) WHERE status = 'pending' AND group_limit IS NOT NULL`,
          `CREATE INDEX queue_job_held ON queue_job (queue, lane) WHERE status = 'running' AND group_limit IS NOT NULL`,
          `CREATE INDEX queue_job_due ON queue_job (due_at, queue) WHERE status = 'scheduled'`,
          `CREATE INDEX queue_job_expiry ON queue_job (locked_until, queue) WHERE status = 'running'`,
          'CREATE INDEX queue_job_ended ON queue_job (status, finished_at, queue) WHERE finished_at IS NOT NULL AND idempotency_token IS NULL',
          `CREATE INDEX queue_job_holding ON queue_job (idempotency_until, queue) WHERE status = 'completed' AND idempotency_token IS NOT NULL`,
          `CREATE INDEX queue_job_dead ON queue_job (organization_id, finished_at, queue) WHERE status = 'dead'`,
          'CREATE UNIQUE INDEX queue_job_token ON queue_job (organization_id, queue, idempotency_token) WHERE idempotency_token IS NOT NULL',
          schema().createTable('queue_pause', (table) => {
            table.specificType('queue', name).notNullable().primary();
            table.bigInteger('paused_at').notNullable();
          }),
        ];
      },
    },
    {
      number: 2,
      name: 'schedules and their runs',
      kind: 'additive',
      up: ({ schema, family }) => {
        const name = family === 'postgres' ? `varchar(${NAME}) COLLATE "C"` : `varchar(${NAME})`;
        return [
          schema().createTable('queue_schedule', (table) => {
            table.specificType('name', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.integer('paused').notNullable();
            table.string('revision', 64).notNullable();
            table.bigInteger('next_fire_at');
            table.bigInteger('last_fire_at');
            table.specificType('last_job_id', name);
            table.bigInteger('waiting_at');
            table.bigInteger('created_at').notNullable();
            table.bigInteger('updated_at').notNullable();
            table.text('spec').notNullable();
          }),
          'CREATE INDEX queue_schedule_due ON queue_schedule (next_fire_at, name) WHERE paused = 0 AND next_fire_at IS NOT NULL',
          'CREATE INDEX queue_schedule_waiting ON queue_schedule (waiting_at, name) WHERE paused = 0 AND waiting_at IS NOT NULL',
          schema().createTable('queue_schedule_run', (table) => {
            table.specificType('name', name).notNullable();
            table.bigInteger('fire_at').notNullable();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.string('outcome', 16).notNullable();
            table.text('reason');
            table.specificType('job_id', name);
            table.bigInteger('created_at').notNullable();
            table.primary(['name', 'fire_at']);
          }),
          `CREATE INDEX queue_schedule_run_waiting ON queue_schedule_run (name, fire_at) WHERE outcome = 'waiting'`,
          `CREATE INDEX queue_schedule_run_old ON queue_schedule_run (created_at, name) WHERE outcome <> 'waiting'`,
        ];
      },
    },
  ],
};

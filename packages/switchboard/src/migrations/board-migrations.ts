import type { MigrationSet } from '@bellhop/contracts';

/** Longest names and ids, in characters; the input checks enforce the same. */
const NAME = 255;

/**
 * The tables of switchboard. Lists, payloads and results are JSON text; times are epoch milliseconds; every row names its organization, and no
 * row is read without its endpoint's or organization's id but by the duties.
 *
 * Names are compared by their bytes, on Postgres too. `moved_by` is a random id that each change of a todo leaves on it: a later step of the same
 * batch finds by it what an earlier one moved, without reading anything back, which remote libSQL could not do in a transaction.
 */
export const boardMigrations: MigrationSet = {
  plugin: 'switchboard',
  tenantTables: ['board_endpoint', 'board_webhook', 'board_event', 'board_todo', 'board_attempt', 'board_notify_hook'],
  migrations: [
    {
      number: 1,
      name: 'endpoints, webhooks, events, todos, attempts and notify hooks',
      kind: 'additive',
      up: ({ schema, family }) => {
        const name = family === 'postgres' ? `varchar(${NAME}) COLLATE "C"` : `varchar(${NAME})`;
        return [
          schema().createTable('board_endpoint', (table) => {
            table.specificType('id', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('slug', name).notNullable();
            table.string('credential_hash', 64).notNullable();
            table.string('credential_prefix', 16).notNullable();
            table.text('queues').notNullable();
            table.text('verbs').notNullable();
            table.string('state', 16).notNullable();
            table.bigInteger('expires_at');
            table.bigInteger('default_lease_ms');
            table.bigInteger('created_at').notNullable();
            table.bigInteger('revoked_at');
          }),
          'CREATE UNIQUE INDEX board_endpoint_slug ON board_endpoint (organization_id, slug)',
          'CREATE UNIQUE INDEX board_endpoint_credential ON board_endpoint (credential_hash)',
          `CREATE INDEX board_endpoint_expiry ON board_endpoint (expires_at, id) WHERE state = 'active' AND expires_at IS NOT NULL`,
          schema().createTable('board_webhook', (table) => {
            table.specificType('id', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('endpoint_id', name).notNullable().references('id').inTable('board_endpoint').onDelete('CASCADE');
            table.string('token_hash', 64).notNullable();
            table.string('source', 16).notNullable();
            table.text('secret');
            table.text('targets').notNullable();
            table.text('trusted_senders');
            table.bigInteger('created_at').notNullable();
          }),
          'CREATE UNIQUE INDEX board_webhook_token ON board_webhook (token_hash)',
          'CREATE INDEX board_webhook_of_endpoint ON board_webhook (endpoint_id, created_at, id)',
          schema().createTable('board_event', (table) => {
            table.specificType('id', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('endpoint_id', name).notNullable().references('id').inTable('board_endpoint').onDelete('CASCADE');
            table.string('source', 16).notNullable();
            // The webhook that it came by: senders number their deliveries for each webhook, or give one event one id for all of them.
            table.specificType('webhook_id', name);
            table.specificType('external_id', name);
            table.string('kind', NAME);
            table.string('sender', NAME);
            table.integer('verified').notNullable();
            table.bigInteger('created_at').notNullable();
            table.text('payload').notNullable();
          }),
          'CREATE UNIQUE INDEX board_event_external ON board_event (webhook_id, external_id) WHERE external_id IS NOT NULL',
          'CREATE INDEX board_event_old ON board_event (created_at, id)',
          schema().createTable('board_todo', (table) => {
            table.specificType('id', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('endpoint_id', name).notNullable().references('id').inTable('board_endpoint').onDelete('CASCADE');
            table.specificType('queue', name).notNullable();
            table.string('state', 16).notNullable();
            table.integer('gate').notNullable();
            table.specificType('assignee', name);
            table.string('moved_by', 64).notNullable();
            table.string('source', 16).notNullable();
            table.string('kind', NAME);
            table.string('title', NAME).notNullable();
            table.specificType('event_id', name);
            table.specificType('idempotency_key', name);
            // The key while the todo is alive: its slot in the unique index.
            table.specificType('live_key', name);
            table.string('claimant', NAME);
            table.string('fence_hash', 64);
            table.bigInteger('lease_until');
            table.integer('attempt').notNullable();
            table.integer('max_attempts').notNullable();
            table.integer('attempts_total').notNullable();
            table.bigInteger('next_retry_at');
            table.string('quarantine_reason', 32);
            table.specificType('quarantine_queue', name);
            table.specificType('quarantine_endpoint_id', name);
            table.integer('ring_attempts').notNullable();
            table.bigInteger('last_ringed_at');
            table.bigInteger('created_at').notNullable();
            table.bigInteger('pending_since').notNullable();
            table.bigInteger('updated_at').notNullable();
            table.bigInteger('claimed_at');
            table.bigInteger('completed_at');
            // Last, for SQLite reads a row from its start: what is long is passed by nobody.
            table.text('result');
            table.text('payload').notNullable();
          }),
          `CREATE INDEX board_todo_claim ON board_todo (endpoint_id, queue, assignee, created_at, id) WHERE state = 'pending'`,
          `CREATE INDEX board_todo_lapsed ON board_todo (endpoint_id, queue, assignee, lease_until) WHERE state = 'claimed' AND attempt < max_attempts`,
          `CREATE INDEX board_todo_parked ON board_todo (endpoint_id, queue, assignee, next_retry_at) WHERE state = 'failed' AND next_retry_at IS NOT NULL`,
          `CREATE INDEX board_todo_pending ON board_todo (endpoint_id, queue, gate, pending_since, id) WHERE state = 'pending' AND assignee IS NULL`,
          `CREATE INDEX board_todo_ring ON board_todo (endpoint_id, pending_since, id)
            WHERE state = 'pending' AND assignee IS NULL AND gate = 1 AND queue <> 'quarantine' AND ring_attempts < 5`,
          `CREATE INDEX board_todo_lease ON board_todo (lease_until, id) WHERE state = 'claimed'`,
          `CREATE INDEX board_todo_moved ON board_todo (moved_by) WHERE state = 'claimed'`,
          `CREATE INDEX board_todo_swept ON board_todo (moved_by) WHERE moved_by > 's'`,
          `CREATE INDEX board_todo_retry ON board_todo (next_retry_at, id) WHERE state = 'failed' AND next_retry_at IS NOT NULL`,
          `CREATE INDEX board_todo_ended ON board_todo (updated_at, id) WHERE state = 'done' OR (state = 'failed' AND next_retry_at IS NULL)`,
          'CREATE INDEX board_todo_list ON board_todo (endpoint_id, created_at, id)',
          'CREATE INDEX board_todo_of_organization ON board_todo (organization_id, created_at, id)',
          'CREATE INDEX board_todo_event ON board_todo (event_id) WHERE event_id IS NOT NULL',
          `CREATE INDEX board_todo_held ON board_todo (created_at, id) WHERE state = 'pending' AND queue = 'quarantine'`,
          'CREATE UNIQUE INDEX board_todo_key ON board_todo (endpoint_id, live_key) WHERE live_key IS NOT NULL',
          schema().createTable('board_attempt', (table) => {
            table.specificType('todo_id', name).notNullable().references('id').inTable('board_todo').onDelete('CASCADE');
            table.integer('seq').notNullable();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('endpoint_id', name).notNullable();
            table.specificType('queue', name).notNullable();
            table.string('claimant', NAME);
            table.bigInteger('claimed_at').notNullable();
            table.bigInteger('heartbeat_at');
            table.bigInteger('lease_until').notNullable();
            table.bigInteger('ended_at');
            table.string('outcome', 16);
            table.string('disposition', 16);
            table.text('summary');
            table.primary(['todo_id', 'seq']);
          }),
          // What was merely given back is no sign of progress, and a consumer may give back without end.
          `CREATE INDEX board_attempt_claimed ON board_attempt (endpoint_id, queue, claimed_at) WHERE outcome IS NULL OR outcome <> 'released'`,
          'CREATE INDEX board_attempt_at_work ON board_attempt (endpoint_id, queue, lease_until) WHERE ended_at IS NULL',
          'CREATE INDEX board_attempt_lapsed ON board_attempt (lease_until, todo_id) WHERE ended_at IS NULL',
          schema().createTable('board_notify_hook', (table) => {
            table.specificType('id', name).notNullable().primary();
            table.string('organization_id', NAME).notNullable().defaultTo('default');
            table.specificType('endpoint_id', name).notNullable().references('id').inTable('board_endpoint').onDelete('CASCADE');
            table.text('url').notNullable();
            table.text('secret').notNullable();
            table.text('previous_secret');
            table.bigInteger('previous_until');
            table.text('queues').notNullable();
            table.integer('enabled').notNullable();
            table.string('disabled_reason', 32);
            table.bigInteger('disabled_at');
            table.integer('failures').notNullable();
            table.bigInteger('last_attempt_at');
            table.string('last_outcome', 32);
            // When it was created, enabled or rotated last: a fresh door, behind which somebody may be again.
            table.bigInteger('opened_at').notNullable();
            table.bigInteger('created_at').notNullable();
            table.bigInteger('rotated_at');
          }),
          'CREATE INDEX board_notify_hook_of_endpoint ON board_notify_hook (endpoint_id, created_at, id)',
          'CREATE INDEX board_notify_hook_previous ON board_notify_hook (previous_until, id) WHERE previous_until IS NOT NULL',
        ];
      },
    },
  ],
};

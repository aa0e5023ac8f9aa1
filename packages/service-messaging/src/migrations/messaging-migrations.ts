import type { MigrationSet } from '@bellhop/contracts';

/** Longest names and ids, in characters; the input checks enforce the same. */
const NAME = 255;

/**
 * The tables of service-messaging. Payloads are JSON text; times are epoch milliseconds; every row names its organization.
 *
 * The claim indexes are partial: one over all statuses would walk the backlog. They start with the channel, so that rows which this node
 * cannot serve cost it nothing, and hold due time and id, which is the order of claims.
 *
 * The digest index names a group by the token that closed it, the first 32 characters of its name: the whole of it is too long for an index of
 * Postgres. The inbox has one index for each answer to "archived?" and "read?", so that a page never walks the messages of another.
 */
export const messagingMigrations: MigrationSet = {
  plugin: 'service-messaging',
  tenantTables: ['notification', 'notification_delivery', 'inbox_message'],
  migrations: [
    {
      number: 1,
      name: 'notifications, deliveries and the inbox',
      kind: 'additive',
      up: ({ schema }) => [
        schema().createTable('notification', (table) => {
          table.string('id', NAME).primary();
          table.string('organization_id', NAME).notNullable().defaultTo('default');
          table.string('topic', NAME).notNullable();
          table.text('payload');
          table.string('severity', 16).notNullable();
          table.string('dedup_key', NAME);
          table.string('source_type', NAME);
          table.string('source_id', NAME);
          table.string('actor_id', NAME);
          table.text('suppressed').notNullable();
          table.integer('fanned_out').notNullable();
          table.bigInteger('created_at').notNullable();
        }),
        'CREATE UNIQUE INDEX notification_dedup ON notification (organization_id, topic, dedup_key) WHERE dedup_key IS NOT NULL',
        schema().createTable('notification_delivery', (table) => {
          table.string('id', NAME).primary();
          table.string('organization_id', NAME).notNullable().defaultTo('default');
          table.string('notification_id', NAME).notNullable();
          table.string('recipient_id', NAME).notNullable();
          table.string('channel', NAME).notNullable();
          table.string('topic', NAME);
          table.text('payload').notNullable();
          table.string('status', 16).notNullable();
          table.integer('attempts').notNullable();
          table.bigInteger('due_at').notNullable();
          table.string('digest_key', NAME);
          table.text('digest_group');
          table.integer('slot').notNullable();
          table.string('claimed_by', NAME);
          table.bigInteger('claimed_at');
          table.text('claim_token');
          table.bigInteger('claim_expires_at');
          table.bigInteger('last_attempted_at');
          table.text('external_id');
          table.text('error');
          table.bigInteger('created_at').notNullable();
          table.bigInteger('updated_at').notNullable();
        }),
        'CREATE UNIQUE INDEX notification_delivery_target ON notification_delivery (notification_id, recipient_id, channel)',
        `CREATE INDEX notification_delivery_claim ON notification_delivery (channel, due_at, id, slot) WHERE status = 'pending' AND digest_key IS NULL`,
        `CREATE INDEX notification_delivery_claim_digest ON notification_delivery (channel, due_at, id, slot) WHERE status = 'pending' AND digest_key IS NOT NULL`,
        `CREATE INDEX notification_delivery_digest ON notification_delivery (digest_key, organization_id, status, SUBSTR(COALESCE(digest_group, ''), 1, 32)) WHERE digest_key IS NOT NULL`,
        `CREATE INDEX notification_delivery_expiry ON notification_delivery (claim_expires_at) WHERE status = 'in_flight'`,
        'CREATE INDEX notification_delivery_list ON notification_delivery (organization_id, created_at, id)',
        `CREATE INDEX notification_delivery_failed ON notification_delivery (organization_id, status, created_at, id) WHERE status IN ('dead', 'suppressed', 'cancelled')`,
        schema().createTable('inbox_message', (table) => {
          table.string('id', NAME).primary();
          table.string('organization_id', NAME).notNullable().defaultTo('default');
          table.string('user_id', NAME).notNullable();
          table.string('notification_id', NAME).notNullable();
          table.string('topic', NAME);
          table.text('title').notNullable();
          table.text('body').notNullable();
          table.string('severity', 16).notNullable();
          table.text('action_url');
          table.string('state', 16).notNullable();
          table.bigInteger('state_at').notNullable();
          table.bigInteger('archived_at');
          table.bigInteger('created_at').notNullable();
        }),
        'CREATE UNIQUE INDEX inbox_message_target ON inbox_message (organization_id, user_id, notification_id)',
        'CREATE INDEX inbox_message_list ON inbox_message (organization_id, user_id, created_at, id) WHERE archived_at IS NULL',
        'CREATE INDEX inbox_message_archived ON inbox_message (organization_id, user_id, created_at, id) WHERE archived_at IS NOT NULL',
        `CREATE INDEX inbox_message_read ON inbox_message (organization_id, user_id, created_at, id) WHERE state <> 'delivered' AND archived_at IS NULL`,
        `CREATE INDEX inbox_message_unread ON inbox_message (organization_id, user_id, created_at, id, state, archived_at) WHERE state = 'delivered' AND archived_at IS NULL`,
      ],
    },
  ],
};

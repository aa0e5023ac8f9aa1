import type { MigrationSet } from '@bellhop/contracts';

/** Longest names, in characters: as in the board's tables. */
const NAME = 255;

/**
 * The ledger of nudges, one row for each pair of endpoint and queue that was nudged and not forgotten since. Without it pacing starts anew; nothing
 * else is lost. Its rows belong to endpoints, and every statement of it goes over all of them.
 */
export const stallMigrations: MigrationSet = {
  plugin: 'switchboard-stall',
  tenantTables: [],
  migrations: [
    {
      number: 1,
      name: 'the ledger of stall nudges',
      kind: 'additive',
      up: ({ schema, family }) => {
        const name = family === 'postgres' ? `varchar(${NAME}) COLLATE "C"` : `varchar(${NAME})`;
        return [
          schema().createTable('queue_stall_nudges', (table) => {
            table.specificType('endpoint_id', name).notNullable().references('id').inTable('board_endpoint').onDelete('CASCADE');
            table.specificType('queue', name).notNullable();
            table.integer('nudges').notNullable();
            table.bigInteger('last_nudged_at').notNullable();
            // Of the last nudge; null until one is known.
            table.string('last_outcome', 16);
            table.bigInteger('quiet_since');
            table.primary(['endpoint_id', 'queue']);
          }),
        ];
      },
    },
  ],
};

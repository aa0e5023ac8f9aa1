import type { MigrationSet } from '@bellhop/contracts';

/**
 * The host's own table. `api_key` is no tenant table: a key is looked up before anyone knows whose it is, and root keys belong to the
 * deployment. Its writes still say whose key they touch.
 */
export const hostMigrations: MigrationSet = {
  plugin: 'host',
  tenantTables: [],
  migrations: [
    {
      number: 1,
      name: 'api keys',
      kind: 'additive',
      up: ({ schema }) => [
        schema().createTable('api_key', (table) => {
          table.string('id', 64).primary();
          table.string('hash', 64).notNullable();
          table.string('hint', 32).notNullable();
          // Null for a root key.
          table.string('organization_id', 255);
          table.string('label', 255);
          table.bigInteger('created_at').notNullable();
          table.bigInteger('revoked_at');
        }),
        'CREATE UNIQUE INDEX api_key_hash ON api_key (hash)',
      ],
    },
  ],
};

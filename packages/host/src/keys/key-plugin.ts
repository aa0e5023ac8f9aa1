import { type MigratingPlugin, STORE } from '@bellhop/contracts';
import { hostMigrations } from './key-migrations.js';

/** The plugin `host`: brings the table of API keys up to date. */
export function keyPlugin(): MigratingPlugin {
  return {
    name: 'host',
    requires: ['store'],
    migrations: [hostMigrations],
    async start(ctx) {
      await ctx.container.resolve(STORE).migrate(hostMigrations);
    },
  };
}

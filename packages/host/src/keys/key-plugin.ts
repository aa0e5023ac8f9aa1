import { type MigrationSet, STORE } from '@bellhop/contracts';
import type { KernelPlugin } from '@bellhop/kernel';
import { hostMigrations } from './key-migrations.js';

/** The plugin `host`: brings the table of API keys up to date. */
export function keyPlugin(): KernelPlugin & { readonly migrations: readonly MigrationSet[] } {
  return {
    name: 'host',
    requires: ['store'],
    migrations: [hostMigrations],
    async start(ctx) {
      await ctx.container.resolve(STORE).migrate(hostMigrations);
    },
  };
}

import { redactUrl } from '@bellhop/store';
import type { Flags } from '../config/settings.js';
import { hostPlugins } from '../plugins.js';
import { withDatabase } from './open-database.js';

/** `bellhop migrate`: runs the migrations of all configured plugins, without starting any, and says what it did. */
export async function runMigrate(flags: Flags): Promise<void> {
  await withDatabase(flags, async (store, { databaseUrl, options }) => {
    const lines: string[] = [];
    let ran = 0;
    for (const plugin of hostPlugins(options)) {
      for (const set of plugin.migrations ?? []) {
        const { applied, present } = await store.migrate(set);
        ran += applied.length;
        lines.push(...applied.map(({ number, name }) => `applied  ${set.plugin} ${number}: ${name}`));
        if (applied.length === 0) lines.push(`present  ${set.plugin}: ${present} of ${present}`);
      }
      if (options.plugins?.includes(plugin) && plugin.migrations === undefined) {
        lines.push(`skipped  ${plugin.name}: it tells no migrations; if it has tables, it brings them up to date when it starts`);
      }
    }
    const summary = ran === 0 ? 'is up to date; nothing was run' : `is up to date; ${ran} migration${ran === 1 ? '' : 's'} run`;
    process.stdout.write(`${[...lines, `${redactUrl(databaseUrl)} ${summary}.`].join('\n')}\n`);
  });
}

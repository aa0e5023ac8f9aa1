// Why the store's own statements are none of the hot ones: it runs them when it migrates.
import type { PluginStatements } from './hot-statement.js';

export const store: PluginStatements = {
  file: 'scripts/gates/statement-plans/store.ts',
  migrations: [],
  wanted: async () => {},
  worlds: [],
  hot: [],
  cold: ['READ', 'RECORD', 'LOCK', 'ddl'].map((name) => ({
    definition: `packages/store/src/migration-runner.ts#${name}`,
    reason: 'run at a start, over a table with one row for each migration',
  })),
};

// The hot statements of the host, and why the others of the host are none.
import { hostMigrations } from '../../../packages/host/src/keys/key-migrations.js';
import { findKey } from '../../../packages/host/src/keys/key-statements.js';
import { oldestDead } from '../../../packages/host/src/metrics/oldest-dead.js';
import { oldestDue } from '../../../packages/host/src/metrics/oldest-due.js';
import { seedRows } from '../../../packages/service-messaging/src/sql/seeded-rows.fixture.js';
import type { HotStatement, PluginStatements } from './hot-statement.js';
import { MASS_FROM, NOW } from './messaging-worlds.js';

const KEYS = 'packages/host/src/keys/key-statements.ts';
const DOCTOR = 'packages/host/src/cli/doctor';

/** A row for each channel that holds pending rows. */
const oldest: HotStatement = {
  definition: 'packages/host/src/metrics/oldest-due.ts#oldestDue',
  title: 'oldest due',
  statement: oldestDue,
  params: { now: NOW },
  returns: 3,
};

const keys = (count: number, prefix: string, createdAt: string) => ({
  id: `'${prefix}' || i`,
  hash: `'${prefix}-hash-' || i`,
  hint: `'bh_x'`,
  organization_id: `'o1'`,
  created_at: createdAt,
  count,
});

export const host: PluginStatements = {
  file: 'scripts/gates/statement-plans/host.ts',
  migrations: [hostMigrations],
  async wanted(store) {
    const { count, ...columns } = keys(4, 'key', 'i');
    await seedRows(store, 'api_key', count, columns);
  },
  worlds: [
    {
      name: 'keys of one organization',
      table: 'api_key',
      async seed(store, scale) {
        const { count, ...columns } = keys(scale, 'mass', `${MASS_FROM} + i`);
        await seedRows(store, 'api_key', count, columns);
      },
    },
  ],
  hot: [
    oldest,
    {
      definition: 'packages/host/src/metrics/oldest-dead.ts#oldestDead',
      title: 'oldest dead',
      statement: oldestDead,
      params: {},
      returns: 1,
    },
    { definition: `${KEYS}#findKey`, title: 'key of a request', statement: findKey, params: { hash: 'key-hash-1' }, returns: 1 },
  ],
  cold: [
    ...['insertKey', 'listKeys', 'getKey', 'getKeyByHash', 'revokeKey'].map((name) => ({
      definition: `${KEYS}#${name}`,
      reason: 'run by an operator at the command line',
    })),
    { definition: `${KEYS}#insertFirstKey`, reason: 'run once at the start of a host' },
    { definition: `${DOCTOR}/channel-check.ts#deliveryTable`, reason: 'run by the doctor, over the catalog' },
    ...['serverFacts', 'migrationTable', 'migrations', 'keyTable', 'probeStatement'].map((name) => ({
      definition: `${DOCTOR}/database-checks.ts#${name}`,
      reason: 'run by the doctor, over the catalog or a table of a few rows',
    })),
  ],
};

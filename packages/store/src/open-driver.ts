import { StoreError } from '@bellhop/kernel';
import type { Knex } from 'knex';
import { parseDatabaseUrl } from './database-url.js';
import { AdoptedSqliteDriver } from './drivers/adopted-sqlite-driver.js';
import type { Driver } from './drivers/driver.js';
import { LibsqlFileDriver } from './drivers/libsql-driver.js';
import { LibsqlRemoteDriver } from './drivers/libsql-remote-driver.js';
import { PostgresDriver } from './drivers/postgres-driver.js';
import { SqliteDriver } from './drivers/sqlite-driver.js';
import { postgresKnex } from './knex/postgres-knex.js';
import type { DriverMeter } from './statement-meter.js';
import type { CheckedStoreOptions } from './store-options.js';
import { UnderWay } from './under-way.js';

export interface ChosenDriver {
  readonly driver: Driver;
  /** What identifies the database among the stores of this process. */
  readonly database: string;
}

/** Picks the driver for a URL, or for the knex instance that the application has. Opens nothing yet. */
export function chooseDriver(options: CheckedStoreOptions, meter: DriverMeter): ChosenDriver {
  if (options.knex) return { driver: adopt(options.knex, options, meter), database: identityOf(options.knex.client.config) };
  const { authToken, busyTimeoutMs, poolSize, preparedStatements, statementTimeoutMs, synchronous } = options;
  const address = parseDatabaseUrl(options.url ?? '');
  switch (address.kind) {
    case 'memory': {
      const driver = new SqliteDriver({ file: ':memory:', meter, busyTimeoutMs, synchronous });
      return { driver, database: identityOf(driver) };
    }
    case 'sqlite':
      return { driver: new SqliteDriver({ file: address.file, meter, busyTimeoutMs, synchronous }), database: `sqlite:${address.file}` };
    case 'libsql-file':
      return {
        driver: new LibsqlFileDriver({ file: address.file, meter, busyTimeoutMs, synchronous }),
        database: `libsql:${address.file}`,
      };
    case 'libsql-remote':
      return {
        driver: new LibsqlRemoteDriver({ url: address.url, authToken, meter, statementTimeoutMs, busyTimeoutMs }),
        database: address.url,
      };
    case 'postgres': {
      const underWay = new UnderWay();
      const { knex, pool } = postgresKnex({ url: address.url, poolSize, statementTimeoutMs }, meter, underWay);
      return { driver: new PostgresDriver(knex, { meter, prepare: preparedStatements, own: { pool, underWay } }), database: address.url };
    }
  }
}

function adopt(knex: Knex, options: CheckedStoreOptions, meter: DriverMeter): Driver {
  const { driverName } = knex.client as { driverName?: string };
  const { busyTimeoutMs, preparedStatements } = options;
  if (driverName === 'pg') return new PostgresDriver(knex, { meter, prepare: preparedStatements });
  if (driverName === 'better-sqlite3') return new AdoptedSqliteDriver(knex, { meter, busyTimeoutMs });
  throw new StoreError(
    'STORE_URL',
    `The knex instance uses the client ${JSON.stringify(driverName ?? 'unknown')}. Allowed: pg, better-sqlite3. For libSQL give its URL instead.`,
  );
}

const identities = new WeakMap<object, string>();
let issued = 0;

/** The same text for the same object, and another for every other. */
function identityOf(object: object): string {
  let identity = identities.get(object);
  if (identity === undefined) {
    issued += 1;
    identity = `private:${issued}`;
    identities.set(object, identity);
  }
  return identity;
}

import type { Store } from '@bellhop/contracts';
import { type Clock, type Logger, parseOptions, silentLogger, systemClock } from '@bellhop/kernel';
import { parseDatabaseUrl } from './database-url.js';
import { chooseDriver } from './open-driver.js';
import { SqlStore } from './sql-store.js';
import { DriverMeter } from './statement-meter.js';
import { type CheckedStoreOptions, type StoreOptions, storeOptionsSchema } from './store-options.js';
import { WriteAudit } from './write-audit.js';

export interface StorePorts {
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Default: silent. */
  readonly logger?: Logger;
}

/** @throws BellhopError `PLUGIN_OPTIONS`, `STORE_URL`. Opens nothing. */
export function checkStoreOptions(options: StoreOptions): CheckedStoreOptions {
  const checked = parseOptions('store', storeOptionsSchema, options);
  if (checked.url !== undefined) parseDatabaseUrl(checked.url);
  return checked;
}

/** Makes a store that is not open yet. @throws BellhopError `PLUGIN_OPTIONS`, `STORE_URL`. */
export function createStore(options: StoreOptions, { clock = systemClock, logger = silentLogger }: StorePorts = {}): SqlStore {
  const checked = checkStoreOptions(options);
  const meter = new DriverMeter();
  const { driver, database } = chooseDriver(checked, meter);
  return new SqlStore({ driver, database, meter, audit: new WriteAudit(checked.posture, logger), clock, logger });
}

/**
 * Opens a store outside a kernel: for scripts and tests. Close it when done.
 *
 * @throws BellhopError `PLUGIN_OPTIONS`, `STORE_URL`, `STORE_UNREADABLE`, `STORE_UNAVAILABLE`.
 */
export async function openStore(options: StoreOptions, ports?: StorePorts): Promise<Store> {
  const store = createStore(options, ports);
  await store.open();
  return store;
}

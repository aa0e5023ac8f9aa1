/** What a vitest test calls for a Postgres database: on the server that all tests of the run share, or on one of its own. */
import { BellhopError } from '@bellhop/kernel';
import { askPostgresCoordinator } from './postgres-coordinator.js';
import { POSTGRES_COORDINATOR } from './postgres-coordinator-key.js';
import { createPostgresDatabase, type PostgresDatabase } from './postgres-database.js';
import { startPostgres } from './postgres-server.js';

export interface ThrowAwayPostgresOptions {
  /** A server for this database alone (about a second more): needed for `restart`. Default false. */
  readonly ownServer?: boolean;
}

export interface ThrowAwayPostgres extends PostgresDatabase {
  /**
   * Restarts the server: connections end, and fail until it is up again.
   *
   * @param mode `fast` (default): as planned. `immediate`: as in a crash.
   * @throws BellhopError `INVALID_INPUT` without `ownServer`: it would end the connections of every other test.
   */
  restart(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Ends the server until `resume`. @throws as `restart`. */
  pause(mode?: 'fast' | 'immediate'): Promise<void>;
  resume(): Promise<void>;
}

/**
 * A fresh, empty Postgres database. Call `drop` when done; what is forgotten goes with the run.
 *
 * @throws BellhopError `INVALID_INPUT` outside a vitest run with the kit's global setup; there, use `startPostgres`.
 */
export async function postgresDatabase(options: ThrowAwayPostgresOptions = {}): Promise<ThrowAwayPostgres> {
  if (options.ownServer) return databaseOnOwnServer();
  const database = await createPostgresDatabase(await askPostgresCoordinator(await coordinatorAddress()));
  return { ...database, restart: refuseShared, pause: refuseShared, resume: refuseShared };
}

async function databaseOnOwnServer(): Promise<ThrowAwayPostgres> {
  const server = await startPostgres();
  return {
    ...(await server.createDatabase()),
    restart: (mode) => server.restart(mode),
    pause: (mode) => server.pause(mode),
    resume: () => server.resume(),
    drop: () => server.stop(),
  };
}

async function coordinatorAddress(): Promise<string> {
  // Imported here, because outside a vitest worker this module is loaded too (benches, child processes).
  const address = await import('vitest').then(({ inject }) => inject(POSTGRES_COORDINATOR)).catch(() => undefined);
  if (address) return address;
  throw new BellhopError(
    'INVALID_INPUT',
    "postgresDatabase() works in a vitest run with globalSetup: ['@bellhop/testing/vitest-global-setup']. Add that to the vitest config, or use startPostgres() outside vitest.",
  );
}

async function refuseShared(): Promise<never> {
  throw new BellhopError(
    'INVALID_INPUT',
    'The server is shared by every test of the run, so one test may not restart it: use postgresDatabase({ ownServer: true }).',
  );
}

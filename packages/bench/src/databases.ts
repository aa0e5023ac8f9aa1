import { type PostgresServer, startPostgres, type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';

/** As Postgres comes: the test kit's servers trade safety for speed, and a benchmark's must commit and checkpoint as one in production does. */
const POSTGRES_DEFAULTS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  wal_level: 'replica',
  max_wal_size: '1GB',
  shared_buffers: '128MB',
  io_method: 'worker',
  jit: 'on',
};

/** The databases of one run: made empty when asked for, all gone at the end. */
export class BenchDatabases {
  #postgres: Promise<PostgresServer> | undefined;
  readonly #made: TestDatabase[] = [];

  async make(store: TestStoreName): Promise<TestDatabase> {
    const database = await testDatabase(store, {
      postgres: async () => {
        this.#postgres ??= startPostgres({ settings: POSTGRES_DEFAULTS });
        return (await this.#postgres).createDatabase();
      },
    });
    this.#made.push(database);
    return database;
  }

  async dropAll(): Promise<void> {
    for (const database of this.#made.splice(0)) await database.drop();
    await (await this.#postgres)?.stop();
  }
}

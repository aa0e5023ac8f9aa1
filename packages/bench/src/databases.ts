import { type PostgresServer, startPostgres, type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';

/** A server whose commits survive a power cut, as one in production: what is compared on it must not be faster than it may. */
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', shared_buffers: '128MB' };

/** The databases of one run: made empty when asked for, all gone at the end. */
export class BenchDatabases {
  #postgres: Promise<PostgresServer> | undefined;
  readonly #made: TestDatabase[] = [];

  async make(store: TestStoreName): Promise<TestDatabase> {
    const database = await testDatabase(store, {
      postgres: async () => {
        this.#postgres ??= startPostgres({ settings: DURABLE });
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

import { type PostgresServer, startPostgres, type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';

/** The databases of one run: made empty when asked for, all gone at the end. */
export class BenchDatabases {
  #postgres: Promise<PostgresServer> | undefined;
  readonly #made: TestDatabase[] = [];

  async make(store: TestStoreName): Promise<TestDatabase> {
    const database = await testDatabase(store, {
      postgres: async () => {
        this.#postgres ??= startPostgres();
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

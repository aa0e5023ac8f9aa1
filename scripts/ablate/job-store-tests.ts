// Names of the job stores' tests, for entries of the registry: sections of the conformance suite, over the memory store and over the SQL store.
import { onStores, STORES, type StoreName } from './on-stores.js';

const STORES_OF_QUEUE = 'packages/service-queue/src/stores';

/** The test files of a rule's section. */
export function jobStoreFiles(file: string): string[] {
  return [`${STORES_OF_QUEUE}/memory-job-store.${file}.test.ts`, sqlJobStoreFile(file)];
}

export function sqlJobStoreFile(file: string): string {
  return `${STORES_OF_QUEUE}/sql-job-store.${file}.integration.test.ts`;
}

export function inMemory(section: string, titles: readonly string[]): string[] {
  return titles.map((title) => `job store contract: MemoryJobStore > ${section} > ${title}`);
}

/** Over the SQL store on every store, or on some. */
export function inSql(section: string, titles: readonly string[], stores: readonly StoreName[] = STORES): string[] {
  return onStores(
    (store) => titles.map((title) => `on ${store} > job store contract: SqlJobStore on ${store} > ${section} > ${title}`),
    stores,
  );
}

/** The stores of SQLite's family, and that of Postgres, where the texts differ. */
export const SQLITE = ['memory', 'sqlite', 'libsql', 'libsql-remote'] as const satisfies readonly StoreName[];
export const POSTGRES = ['postgres'] as const satisfies readonly StoreName[];

export function onTwoNodes(title: string): string[] {
  return ['sqlite', 'postgres'].map((store) => `two connections to ${store} at once > ${title}`);
}

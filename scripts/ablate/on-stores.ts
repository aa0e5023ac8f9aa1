// The stores that the tests of one contract run over, for entries of the registry whose tests fall on each of them alike. Names only: what the
// stores are, the test kit knows; a store that it gains shows as an extra red test.

export const STORES = ['memory', 'sqlite', 'libsql', 'libsql-remote', 'postgres'] as const;
export type StoreName = (typeof STORES)[number];

/** The test names that `namesOn` gives for each store. */
export function onStores(namesOn: (store: StoreName) => readonly string[], stores: readonly StoreName[] = STORES): string[] {
  return stores.flatMap(namesOn);
}

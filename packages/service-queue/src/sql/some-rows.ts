import type { SqlFamily } from '@bellhop/contracts';

/**
 * The condition that a row is one of those that a bounded query of its table finds. As an array on Postgres: of a limit that is a parameter it
 * expects a tenth of the table, and would join its rows to a reading of all of it.
 *
 * @param key names a row on Postgres: `id`, or `ctid` where the key has several columns.
 * @param find the query, given the column that names a row.
 */
export function someRows(family: SqlFamily, key: 'id' | 'ctid', find: (row: string) => string): string {
  return family === 'postgres' ? `${key} = ANY (ARRAY(${find(key)}))` : `rowid IN (${find('rowid')})`;
}

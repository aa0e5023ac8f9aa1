import type { SqlFamily } from '@bellhop/contracts';

/**
 * The condition that a row of `queue_job` is one of those that a bounded query finds. As an array on Postgres: of a limit that is a parameter it
 * expects a tenth of the table, and would join its rows to a reading of all of it.
 *
 * @param find the query, given the column that names a row.
 */
export function someJobs(family: SqlFamily, find: (row: string) => string): string {
  return family === 'postgres' ? `id = ANY (ARRAY(${find('id')}))` : `rowid IN (${find('rowid')})`;
}

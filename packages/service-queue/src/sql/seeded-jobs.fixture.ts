// Rows by the thousand, made inside the database: for tests among many jobs, and for the gate that counts what a statement visits.
import type { Store } from '@bellhop/contracts';
import { laneOf } from '../lane.js';

/** SQL expressions by column, of `i`, the number of the row. */
export type SeededColumns = Readonly<Record<string, string>>;

/** Inserts `count` jobs in one statement: pending since time 0 in the lane of the organization o1, unless `columns` say otherwise. */
export function seedJobs(store: Store, prefix: string, count: number, columns: SeededColumns = {}): Promise<void> {
  return seedRows(store, 'queue_job', count, {
    id: `'${prefix}' || i`,
    organization_id: `'o1'`,
    queue: `'mail'`,
    status: `'pending'`,
    lane: lane('o1'),
    priority: '100',
    rank_at: 'i + 600000',
    due_at: 'i',
    attempts: '1',
    max_attempts: '3',
    progress: '0',
    created_at: 'i',
    updated_at: 'i',
    data: `'{}'`,
    ...columns,
  });
}

/** Inserts `count` rows in one statement. */
export async function seedRows(store: Store, table: string, count: number, columns: SeededColumns): Promise<void> {
  const names = Object.keys(columns);
  const values = names.map((name) => columns[name]).join(', ');
  await store.knex.raw(`INSERT INTO ${table} (${names.join(', ')}) SELECT ${values} FROM ${numbers(store, count)}`);
}

/** A lane as an SQL expression. @param group an SQL expression, too. */
export function lane(organizationId: string, group?: string): string {
  return `'${laneOf(organizationId, null)}'${group === undefined ? '' : ` || ${group}`}`;
}

/** A FROM item of the numbers 0 to `count` - 1, in a column `i`. */
function numbers({ family }: Store, count: number): string {
  if (family === 'postgres') return `generate_series(0, ${count - 1}) AS s(i)`;
  return `(WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < ${count - 1}) SELECT i FROM s) AS s`;
}

// Rows by the thousand, made inside the database: for tests of plans, and for the gate that counts what a statement visits.
import type { Store } from '@bellhop/contracts';

/** SQL expressions by column, of `i`, the number of the row. */
export type RowColumns = Readonly<Record<string, string>>;

/** Inserts `count` rows in one statement. */
export async function seedRows(store: Store, table: string, count: number, columns: RowColumns): Promise<void> {
  const names = Object.keys(columns);
  const values = names.map((name) => columns[name]).join(', ');
  await store.knex.raw(`INSERT INTO ${table} (${names.join(', ')}) SELECT ${values} FROM ${numbers(store, count)}`);
}

/** Deliveries pending from time 0 on, of fifty organizations and the channels inbox and email, unless `columns` say otherwise. */
export function seedDeliveries(store: Store, prefix: string, count: number, columns: RowColumns = {}): Promise<void> {
  return seedRows(store, 'notification_delivery', count, {
    id: `'${prefix}' || i`,
    organization_id: `'o' || (i % 50)`,
    notification_id: `'n${prefix}' || (i / 20)`,
    recipient_id: `'u' || i`,
    channel: `CASE WHEN i % 2 = 0 THEN 'inbox' ELSE 'email' END`,
    topic: `'t'`,
    payload: `'{}'`,
    status: `'pending'`,
    attempts: '0',
    due_at: 'i',
    slot: 'i % 4096',
    created_at: 'i',
    updated_at: 'i',
    ...columns,
  });
}

/** Events of fifty organizations and one topic, each with a dedup key, unless `columns` say otherwise. */
export function seedEvents(store: Store, prefix: string, count: number, columns: RowColumns = {}): Promise<void> {
  return seedRows(store, 'notification', count, {
    id: `'${prefix}' || i`,
    organization_id: `'o' || (i % 50)`,
    topic: `'t'`,
    severity: `'info'`,
    dedup_key: `'k' || i`,
    suppressed: `'[]'`,
    fanned_out: '1',
    created_at: 'i',
    ...columns,
  });
}

/** Messages of one user's inbox, four of five of them read, unless `columns` say otherwise. */
export function seedMessages(store: Store, prefix: string, count: number, columns: RowColumns = {}): Promise<void> {
  return seedRows(store, 'inbox_message', count, {
    id: `'${prefix}' || i`,
    organization_id: `'o1'`,
    user_id: `'u1'`,
    notification_id: `'${prefix}' || i`,
    topic: `'t'`,
    title: `'title'`,
    body: `'body'`,
    severity: `'info'`,
    state: `CASE WHEN i % 5 = 0 THEN 'delivered' ELSE 'read' END`,
    state_at: '1',
    created_at: 'i',
    ...columns,
  });
}

/** A FROM item of the numbers 0 to `count` - 1, in a column `i`. */
function numbers({ family }: Store, count: number): string {
  if (family === 'postgres') return `generate_series(0, ${count - 1}) AS s(i)`;
  return `(WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < ${count - 1}) SELECT i FROM s) AS s`;
}

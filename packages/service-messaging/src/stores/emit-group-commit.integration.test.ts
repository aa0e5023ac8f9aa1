import type { BatchOptions, BatchStep, SqlParams, Statement, Store, TransactionOption, WriteScope } from '@bellhop/contracts';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SqlInboxStore } from '../inbox/sql-inbox-store.js';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { preparedEmits } from './prepared-emit.fixture.js';
import { SqlEmitWriter } from './sql-emit-writer.js';
import { SqlNotificationOutbox } from './sql-notification-outbox.js';

const clock = new ManualClock();
const emit = preparedEmits(clock.now());
const count = async (store: Store, table: string, where = {}) =>
  Number((await store.knex(table).where(where).count({ n: '*' }).first())?.n);

describe.each(TEST_STORE_NAMES)('emits, enqueues and inbox messages of one turn on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  /** Another connection to the same database; in memory there is none. */
  let other: Store;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock });
    await store.migrate(messagingMigrations);
    other = name === 'memory' ? store : await database.open({ clock });
  });
  beforeEach(() => emptyTables(store, messagingMigrations.tenantTables));
  afterAll(() => database.drop());

  it('[emit-group-commit] emits share a transaction; a bad one fails alone', async () => {
    const writer = new SqlEmitWriter(store);
    const bad = emit();
    const impossible = { ...bad, deliveries: bad.deliveries.map((delivery) => ({ ...delivery, slot: null as never })) };
    const before = store.meter.snapshot().transactions;
    await Promise.all([1, 2, 3].map(() => writer.write([emit({ recipients: 2 })])));
    expect(store.meter.snapshot().transactions - before).toBe(1);
    const outcomes = await Promise.allSettled([writer.write([emit()]), writer.write([impossible]), writer.write([emit()])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await count(store, 'notification'), await count(store, 'notification_delivery')]).toEqual([5, 8]);
  });

  it('[emit-durability] each settles once its rows are committed, and not before', async () => {
    const { held, letThrough } = heldBack(store);
    const outbox = new SqlNotificationOutbox({ store: held });
    const writer = new SqlEmitWriter(held);
    const inbox = new SqlInboxStore(held);
    const delivery = { notificationId: 'n', organizationId: 'acme', channel: 'inbox', payload: { title: 't' } };
    const message = { organizationId: 'acme', topic: null, title: 't', body: '', severity: 'info', actionUrl: null, createdAt: 1 } as const;
    const settled: string[] = [];
    const seen = async (table: string, writing: Promise<string | undefined>) => {
      const id = await writing.finally(() => settled.push(table));
      expect([table, await count(other, table, { id })]).toEqual([table, 1]);
    };
    const writes = [
      seen('notification_delivery', outbox.enqueue({ ...delivery, recipientId: 'r' })),
      seen(
        'notification',
        writer.write([emit()]).then((written) => written[0]?.notificationId),
      ),
      seen(
        'inbox_message',
        inbox.insert({ ...message, id: 'm', userId: 'u', notificationId: 'n' }).then(() => 'm'),
      ),
    ];
    const outcome = Promise.allSettled(writes);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const early = [...settled];
    letThrough();
    await outcome;
    expect(early).toEqual([]);
    await Promise.all(writes);
    // Control: what is written but not committed is not seen.
    if (name === 'memory') return;
    await store.transaction(async (trx) => {
      const id = await new SqlNotificationOutbox({ store }).enqueue({ ...delivery, recipientId: 'open' }, { trx });
      expect(await count(other, 'notification_delivery', { id })).toBe(0);
    });
  });
});

/** The store, with every write held back until `letThrough`. */
function heldBack(store: Store) {
  let letThrough = () => {};
  const open = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const writing = {
    batch: (steps: readonly BatchStep[], options?: BatchOptions) => open.then(() => store.batch(steps, options)),
    write: (statement: Statement, params: SqlParams, scope: WriteScope | undefined, options?: TransactionOption) =>
      open.then(() => store.write(statement, params, scope, options)),
  };
  const held = new Proxy(store, {
    get(target, key) {
      if (key in writing) return writing[key as keyof typeof writing];
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { held, letThrough: () => letThrough() };
}

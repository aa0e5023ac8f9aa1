import type { Store } from '@bellhop/contracts';
import { emptyTables, ManualClock, statementCost, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EmitWritten } from '../emit-writer.js';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { preparedEmits } from './prepared-emit.fixture.js';
import { SqlEmitWriter } from './sql-emit-writer.js';
import { SqlEventStore } from './sql-event-store.js';
import { SqlNotificationOutbox } from './sql-notification-outbox.js';

const clock = new ManualClock();
const emit = preparedEmits(clock.now());
const count = async (store: Store, table: string, where = {}) =>
  Number((await store.knex(table).where(where).count({ n: '*' }).first())?.n);

describe.each(TEST_STORE_NAMES)('emits on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  /** Another connection to the same database; in memory there is none. */
  let other: Store;
  let writer: SqlEmitWriter;

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock });
    await store.migrate(messagingMigrations);
    other = name === 'memory' ? store : await database.open({ clock });
  });
  beforeEach(async () => {
    await emptyTables(store, messagingMigrations.tenantTables);
    writer = new SqlEmitWriter(store);
  });
  afterEach(() => expect(store.audit.findings()).toEqual([]));
  afterAll(() => database.drop());

  const rows = async () => [await count(store, 'notification'), await count(store, 'notification_delivery')];
  const cost = (work: () => Promise<unknown>) => statementCost(store, work);

  it('writes an event with its deliveries, as they were prepared', async () => {
    const prepared = emit({ recipients: 3, dedupKey: 'k' });
    const ids = prepared.deliveries.map(({ id }) => id);
    expect(await writer.write([prepared])).toEqual([{ notificationId: prepared.event.id, deduped: false, deliveryIds: ids }]);
    expect(await new SqlEventStore(other).get(prepared.event.id, { organizationId: 'acme' })).toEqual(prepared.event);
    const { items } = await new SqlNotificationOutbox({ store: other }).list({ organizationId: 'acme' });
    expect(items.map(({ id }) => id).sort()).toEqual(ids);
    expect(items[0]).toMatchObject({
      organizationId: 'acme',
      notificationId: prepared.event.id,
      channel: 'inbox',
      topic: 'order.placed',
      payload: prepared.payload,
      status: 'pending',
      attempts: 0,
      dueAt: clock.now(),
      createdAt: clock.now(),
    });
    expect(await writer.write([])).toEqual([]);
  });

  it('[emit-atomic] writes both or neither: a delivery that cannot be written takes its event with it', async () => {
    const bad = emit({ recipients: 2 });
    const impossible = { ...bad, deliveries: bad.deliveries.map((delivery) => ({ ...delivery, slot: null as never })) };
    await expect(writer.write([impossible])).rejects.toThrow();
    expect(await rows()).toEqual([0, 0]);
    // Control: the same rows, possible ones, are written.
    await writer.write([bad]);
    expect(await rows()).toEqual([1, 2]);
  });

  it('[emit-dedup] one key makes one event, however many emit it at once, on two connections; the others get its id', async () => {
    const writers = [writer, new SqlEmitWriter(other)];
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (writers[index % 2] as SqlEmitWriter).write([emit({ recipients: 2, dedupKey: 'order-7' })]).then(([one]) => one as EmitWritten),
      ),
    );
    const first = written.filter(({ deduped }) => deduped === false);
    expect(first).toHaveLength(1);
    expect(new Set(written.map(({ notificationId }) => notificationId))).toEqual(new Set([first[0]?.notificationId]));
    for (const { deduped, deliveryIds } of written) expect(deliveryIds).toHaveLength(deduped ? 0 : 2);
    expect(await rows()).toEqual([1, 2]);
  });

  it('[emit-dedup] a key belongs to its organization and topic, and may repeat within a call', async () => {
    const calls = [
      emit({ dedupKey: 'k' }),
      emit({ dedupKey: 'k', organizationId: 'umbrella' }),
      emit({ dedupKey: 'k', topic: 'order.paid' }),
      emit({ dedupKey: 'k' }),
      emit(),
      emit(),
    ];
    const written = await writer.write(calls);
    expect(written.map(({ deduped }) => deduped)).toEqual([false, false, false, true, false, false]);
    expect(written[3]).toEqual({ notificationId: calls[0]?.event.id, deduped: true, deliveryIds: [] });
    expect(await rows()).toEqual([5, 5]);
  });

  it('joins the caller’s transaction: there after its commit, gone with its rollback', async () => {
    const inside = emit({ recipients: 2, dedupKey: 'k' });
    await store
      .transaction(async (trx) => {
        await writer.write([inside], { trx });
        throw new Error('changed my mind');
      })
      .catch(() => {});
    expect(await rows()).toEqual([0, 0]);
    await store.transaction(async (trx) => {
      const written = await writer.write([inside], { trx });
      expect(written).toEqual([
        { notificationId: inside.event.id, deduped: store.interactive ? false : null, deliveryIds: inside.deliveries.map(({ id }) => id) },
      ]);
      if (name !== 'memory') expect(await count(other, 'notification')).toBe(0);
    });
    expect(await rows()).toEqual([1, 2]);
  });

  it('in a transaction, a taken key is a repeat, and leaves the transaction alive', async () => {
    const [first] = await writer.write([emit({ dedupKey: 'k' })]);
    await store.transaction(async (trx) => {
      const repeat = emit({ dedupKey: 'k' });
      const [written] = await writer.write([repeat], { trx });
      if (store.interactive) expect(written).toEqual({ ...first, deduped: true, deliveryIds: [] });
      else expect(written).toMatchObject({ notificationId: repeat.event.id, deduped: null });
      await writer.write([emit()], { trx });
    });
    expect(await rows()).toEqual([2, 2]);
  });

  it('[emit-budget] costs two statements, a third for dedup keys, however many recipients; one transaction, one exchange', async () => {
    const one = await cost(() => writer.write([emit()]));
    const hundred = await cost(() => writer.write([emit({ recipients: 100 })]));
    const keyed = await cost(() => writer.write([emit({ recipients: 100, dedupKey: 'k' })]));
    expect([one.statements, hundred.statements, keyed.statements]).toEqual([2, 2, 3]);
    for (const { transactions } of [one, hundred, keyed]) expect(transactions).toBe(1);
    if (name === 'libsql-remote') expect([one, hundred, keyed].map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 1]);
  });

  it('[emit-chunks] writes a thousand rows a statement, all in one transaction', async () => {
    const spent = await cost(() => writer.write([emit({ recipients: 2_500 })]));
    expect(spent).toMatchObject({ statements: 1 + 3, transactions: 1 });
    expect(await rows()).toEqual([1, 2_500]);
    const many = Array.from({ length: 1_100 }, () => emit());
    expect((await writer.write(many)).every(({ deduped, deliveryIds }) => deduped === false && deliveryIds.length === 1)).toBe(true);
    expect(await rows()).toEqual([1_101, 3_600]);
  });

  it('events alone join transactions too, and converge across connections', async () => {
    const events = [new SqlEventStore(store), new SqlEventStore(other)];
    const fresh = () => ({ record: emit({ dedupKey: 'alone' }).event, payloadText: null, fannedOut: false });
    await store
      .transaction(async (trx) => {
        await events[0]?.insert([fresh()], { trx });
        throw new Error('changed my mind');
      })
      .catch(() => {});
    expect(await count(store, 'notification')).toBe(0);
    const inserted = await Promise.all(Array.from({ length: 20 }, (_, index) => (events[index % 2] as SqlEventStore).insert([fresh()])));
    expect(inserted.flat().filter(({ deduped }) => !deduped)).toHaveLength(1);
    expect(new Set(inserted.flat().map(({ id }) => id)).size).toBe(1);
    await store.transaction(async (trx) => {
      const [repeat] = (await events[0]?.insert([fresh()], { trx })) ?? [];
      expect(repeat?.deduped).toBe(store.interactive ? true : null);
    });
    expect(await count(store, 'notification')).toBe(1);
  });
});

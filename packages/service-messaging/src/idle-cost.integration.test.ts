import type { EnqueueDeliveryInput, INotificationOutbox, MeterSnapshot, NotificationChannel, Store } from '@bellhop/contracts';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase, withoutCapabilities } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { slotRange } from './delivery-slot.js';
import { NotificationDispatcher } from './dispatcher/notification-dispatcher.js';
import { messagingMigrations } from './migrations/messaging-migrations.js';
import { SqlNotificationOutbox } from './stores/sql-notification-outbox.js';

const PARTITIONS = 8;
const NODE = { claimTtlMs: 5_000, channels: ['inbox'] };

describe.each(TEST_STORE_NAMES)('the dispatcher over SQL on %s', (name) => {
  // One database for all tests of a store: to make one takes longer than most of them.
  const clock = new ManualClock();
  let database: TestDatabase;
  let store: Store;
  let outbox: SqlNotificationOutbox;
  let dispatcher: NotificationDispatcher | undefined;
  let sent: { id: string; title: string; count: unknown }[];

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open({ clock });
    await store.migrate(messagingMigrations);
  });
  beforeEach(async () => {
    await emptyTables(store, messagingMigrations.tenantTables);
    outbox = new SqlNotificationOutbox({ store });
    sent = [];
    store.meter.reset();
  });
  afterEach(() => dispatcher?.stop());
  afterAll(() => database.drop());

  const inbox: NotificationChannel = {
    id: 'inbox',
    async send(_ctx, { deliveryId, title, payload }) {
      sent.push({ id: deliveryId, title, count: payload.count });
      return { ok: true };
    },
  };
  const channels = { ids: () => ['inbox'], get: (id: string) => (id === 'inbox' ? inbox : undefined) };
  function dispatch(over: INotificationOutbox, partitionCount = PARTITIONS): NotificationDispatcher {
    dispatcher = new NotificationDispatcher({ outbox: over, channels, clock: store.clock, partitionCount });
    return dispatcher;
  }
  const row = (overrides: Partial<EnqueueDeliveryInput> = {}): EnqueueDeliveryInput => ({
    notificationId: 'event',
    recipientId: 'ada',
    channel: 'inbox',
    payload: { title: 'Hello' },
    ...overrides,
  });
  const statements = (snapshot: MeterSnapshot, label: string) => snapshot.byLabel[label]?.statements ?? 0;

  it.each([1, 8, 64])('[survey-cost] costs one read and no write per idle tick at %i partitions', async (partitions) => {
    const idle = dispatch(outbox, partitions);
    for (let tick = 0; tick < 10; tick += 1) await idle.tick();
    expect(store.meter.snapshot()).toMatchObject({ statements: 10, writes: 0, transactions: 0 });
  });

  it('[reap-once] reaps once per tick and not once per claim, with the survey hidden', async () => {
    const idle = dispatch(withoutCapabilities(outbox, ['survey']));
    for (let tick = 0; tick < 10; tick += 1) await idle.tick();
    const counts = store.meter.snapshot();
    expect(statements(counts, 'outbox.reap')).toBe(10);
    expect(counts.statements).toBeLessThanOrEqual(10 * (1 + 2 * PARTITIONS));
  });

  it('[legacy-outbox] costs the old price over an outbox without reap and survey, and still delivers and recovers', async () => {
    const legacy = dispatch(withoutCapabilities(outbox, ['survey', 'reap']));
    await legacy.tick();
    expect(store.meter.snapshot().statements).toBe(4 * PARTITIONS);
    await outbox.enqueue(row({ recipientId: 'waiting' }));
    await outbox.claim({ ...NODE, nodeId: 'dead', limit: 10 });
    await clock.advance(NODE.claimTtlMs);
    await outbox.enqueue(row({ recipientId: 'fresh' }));
    await legacy.tick();
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['all capabilities', []],
    ['the survey hidden', ['survey']],
    ['survey and reap hidden', ['survey', 'reap']],
  ] as const)('with %s, rows over several partitions and a digest all go out on the next tick', async (_title, hidden) => {
    const dispatching = dispatch(withoutCapabilities(outbox, hidden));
    await dispatching.tick();
    const ids = await outbox.enqueueMany(Array.from({ length: 16 }, (_, index) => row({ notificationId: `e${index}` })));
    const { items } = await outbox.list({ limit: 200 });
    const partitions = items.map(({ slot }) =>
      Array.from({ length: PARTITIONS }, (_, index) => slotRange({ index, count: PARTITIONS })).findIndex(
        ({ from, to }) => slot >= from && slot < to,
      ),
    );
    expect(new Set(partitions).size).toBeGreaterThan(2);
    await outbox.enqueueMany(['d1', 'd2'].map((notificationId) => row({ notificationId, digestKey: 'ada|inbox|today' })));
    await dispatching.tick();
    expect(
      sent
        .filter(({ count }) => count === undefined)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.toSorted());
    expect(sent.filter(({ count }) => count !== undefined)).toMatchObject([{ count: 2 }]);
    expect((await outbox.list({ status: 'success', limit: 200 })).items).toHaveLength(18);
  });

  it.each([
    ['all capabilities', []],
    ['the survey hidden', ['survey']],
  ] as const)(
    'with %s, the expired claim of a dead node is delivered within one tick, and a live one is left alone',
    async (_title, hidden) => {
      const dispatching = dispatch(withoutCapabilities(outbox, hidden));
      const [dead] = await outbox.enqueueMany([row({ recipientId: 'dead' })]);
      await outbox.claim({ ...NODE, nodeId: 'dead', limit: 10 });
      await clock.advance(NODE.claimTtlMs - 1);
      await outbox.enqueue(row({ recipientId: 'live' }));
      await outbox.claim({ ...NODE, nodeId: 'live', limit: 10, skipReap: true });
      await dispatching.tick();
      expect(sent).toEqual([]);
      await clock.advance(1);
      await dispatching.tick();
      expect(sent.map(({ id }) => id)).toEqual([dead]);
      expect((await outbox.list({ status: 'in_flight' })).items).toMatchObject([{ recipientId: 'live', claimedBy: 'live' }]);
    },
  );
});

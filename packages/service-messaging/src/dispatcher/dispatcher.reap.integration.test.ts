// What a tick costs and recovers on a real database where the outbox can reap but not survey, at 8 partitions.
import type { EnqueueDeliveryInput, INotificationOutbox, MeterSnapshot, Store } from '@bellhop/contracts';
import { flakyChannel, ManualClock, type TestDatabase, testDatabase, withoutCapabilities } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slotRange } from '../delivery-slot.js';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { SqlNotificationOutbox } from '../stores/sql-notification-outbox.js';
import { NotificationDispatcher } from './notification-dispatcher.js';

const PARTITIONS = 8;
const NODE = { claimTtlMs: 5_000, limit: 10 };

describe('a dispatcher on SQLite, without a survey', () => {
  let database: TestDatabase;
  let clock: ManualClock;
  let store: Store;
  let outbox: SqlNotificationOutbox;
  let channel: ReturnType<typeof flakyChannel>;
  let dispatcher: NotificationDispatcher;

  beforeEach(async () => {
    database = await testDatabase('sqlite');
    clock = new ManualClock();
    store = await database.open({ clock });
    await store.migrate(messagingMigrations);
    outbox = new SqlNotificationOutbox({ store });
    channel = flakyChannel({ id: 'inbox' });
    dispatcher = over(withoutCapabilities(outbox, ['survey']));
    store.meter.reset();
  });
  afterEach(async () => {
    await dispatcher.stop();
    await database.drop();
  });

  function over(its: INotificationOutbox): NotificationDispatcher {
    const channels = { ids: () => ['inbox'], get: () => channel };
    return new NotificationDispatcher({ outbox: its, channels, clock: store.clock, partitionCount: PARTITIONS, minWakeSpacingMs: 0 });
  }
  const row = (overrides: Partial<EnqueueDeliveryInput> = {}): EnqueueDeliveryInput => ({
    notificationId: 'event',
    recipientId: 'ada',
    channel: 'inbox',
    payload: { title: 'Hello' },
    ...overrides,
  });
  const statements = ({ byLabel }: MeterSnapshot, label: string) => byLabel[label]?.statements ?? 0;
  const recipients = () => channel.sent.map(({ recipientId }) => recipientId);

  it('[A1] costs exactly 10 reaps and at most 10 × (1 + 2 × 8) statements in 10 idle ticks', async () => {
    for (let tick = 0; tick < 10; tick += 1) await dispatcher.tick();
    const counts = store.meter.snapshot();
    expect(statements(counts, 'outbox.reap')).toBe(10);
    expect(counts.statements).toBeLessThanOrEqual(10 * (1 + 2 * PARTITIONS));
  });

  it('sends rows enqueued after an idle stretch on the very next tick: 16 over several partitions, and a digest as one message', async () => {
    for (let tick = 0; tick < 5; tick += 1) await dispatcher.tick();
    await outbox.enqueueMany(Array.from({ length: 16 }, (_, index) => row({ notificationId: `single-${index}` })));
    await outbox.enqueueMany(['d1', 'd2'].map((notificationId) => row({ notificationId, digestKey: 'ada|inbox|today' })));
    const { items } = await outbox.list();
    expect(new Set(items.map(({ slot }) => partitionOf(slot))).size).toBeGreaterThan(2);
    await dispatcher.tick();
    expect(channel.sent).toHaveLength(17);
    expect(channel.sent.filter(({ payload }) => payload.count === 2)).toHaveLength(1);
    expect((await outbox.list({ status: 'success' })).items).toHaveLength(18);
  });

  it('recovers a crashed node’s expired claim and delivers it within one tick', async () => {
    await outbox.enqueue(row());
    await outbox.claim({ ...NODE, nodeId: 'crashed' });
    await clock.advance(NODE.claimTtlMs);
    await dispatcher.tick();
    expect(recipients()).toEqual(['ada']);
  });

  it('leaves a claim that has not expired alone', async () => {
    await outbox.enqueue(row());
    await outbox.claim({ ...NODE, nodeId: 'live' });
    await clock.advance(NODE.claimTtlMs - 1);
    await dispatcher.tick();
    expect(recipients()).toEqual([]);
    expect((await outbox.list({ status: 'in_flight' })).items).toMatchObject([{ recipientId: 'ada', claimedBy: 'live' }]);
  });

  it('[A4] keeps working over an outbox without reap: each claim reaps for itself', async () => {
    dispatcher = over(withoutCapabilities(outbox, ['survey', 'reap']));
    await outbox.enqueue(row());
    await outbox.claim({ ...NODE, nodeId: 'crashed' });
    await clock.advance(NODE.claimTtlMs);
    await outbox.enqueue(row({ recipientId: 'grace' }));
    await dispatcher.tick();
    expect(recipients().sort()).toEqual(['ada', 'grace']);
  });
});

function partitionOf(slot: number): number {
  return Array.from({ length: PARTITIONS }, (_, index) => slotRange({ index, count: PARTITIONS })).findIndex(
    ({ from, to }) => slot >= from && slot < to,
  );
}

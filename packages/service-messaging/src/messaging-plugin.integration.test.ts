import { MESSAGING, NOTIFICATION_CHANNEL, NOTIFICATION_OUTBOX, type NotificationChannel, STORE, type Store } from '@bellhop/contracts';
import { Kernel, type KernelPlugin } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOTIFICATION_DISPATCHER } from './dispatcher-token.js';
import type { MessagingPluginOptions } from './messaging-options.js';
import { messagingPlugin } from './messaging-plugin.js';
import { messagingMigrations } from './migrations/messaging-migrations.js';
import { MemoryNotificationOutbox } from './stores/memory-notification-outbox.js';

const MINUTE_MS = 60_000;

function recordingChannel(id = 'record') {
  const sent: string[] = [];
  const channel: NotificationChannel = {
    id,
    async send(_ctx, { recipientId }) {
      sent.push(recipientId);
      return { ok: true };
    },
  };
  return { channel, sent };
}

/** What waits for a commit, and what hears of it in another kernel, is called soon after, not with it. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(TEST_STORE_NAMES)('messagingPlugin on %s', (name) => {
  // One database for all tests of a store: to make one on Postgres takes longer than most of them.
  let database: TestDatabase;
  let cleaner: Store;
  const kernels: Kernel[] = [];
  beforeAll(async () => {
    database = await testDatabase(name);
    cleaner = await database.open();
    await cleaner.migrate(messagingMigrations);
  });
  beforeEach(() => emptyTables(cleaner, messagingMigrations.tenantTables));
  afterEach(async () => {
    for (const kernel of kernels.splice(0)) await kernel.stop();
  });
  afterAll(() => database.drop());

  async function boot(options: MessagingPluginOptions = {}, clock = new ManualClock(), extra: KernelPlugin[] = []) {
    const kernel = new Kernel({ clock }).use(storePlugin({ ...database.options, posture: 'isolated' })).use(messagingPlugin(options));
    for (const plugin of extra) kernel.use(plugin);
    kernels.push(kernel);
    await kernel.start();
    const store = kernel.resolve(STORE);
    return {
      kernel,
      clock,
      store,
      messaging: kernel.resolve(MESSAGING),
      outbox: kernel.resolve(NOTIFICATION_OUTBOX),
      dispatcher: options.dispatch === false ? (undefined as never) : kernel.resolve(NOTIFICATION_DISPATCHER),
    };
  }

  it('[on-enqueued] delivers what is emitted at once, while a row that nobody announced waits for the interval (the control)', async () => {
    const { channel, sent } = recordingChannel();
    const { messaging, outbox, dispatcher, clock } = await boot({ channels: [channel], dispatchIntervalMs: MINUTE_MS });
    await dispatcher.settled();
    await outbox.enqueue({ notificationId: 'unannounced', recipientId: 'control', channel: 'record', payload: {} });
    await dispatcher.settled();
    expect(sent).toEqual([]);
    await messaging.emit({ topic: 'order.placed', audience: 'ada', channels: ['record'] });
    await dispatcher.settled();
    expect(sent.toSorted()).toEqual(['ada', 'control']);
    expect(clock.monotonic()).toBe(0);
  });

  it('[S5] wakes after the commit of the caller’s transaction, and never after its rollback', async () => {
    const { channel, sent } = recordingChannel();
    const { messaging, store, dispatcher } = await boot({ channels: [channel], dispatchIntervalMs: MINUTE_MS });
    await dispatcher.settled();
    const { wakes } = dispatcher.counters();
    await store.transaction(async (trx) => {
      await messaging.emit({ topic: 't', audience: 'ada', channels: ['record'] }, { trx });
      expect(dispatcher.counters().wakes).toBe(wakes);
    });
    await turn();
    expect(dispatcher.counters().wakes).toBe(wakes + 1);
    await dispatcher.settled();
    expect(sent).toEqual(['ada']);
    await store
      .transaction(async (trx) => {
        await messaging.emit({ topic: 't', audience: 'eve', channels: ['record'] }, { trx });
        throw new Error('changed my mind');
      })
      .catch(() => {});
    await turn();
    expect(dispatcher.counters().wakes).toBe(wakes + 1);
    await dispatcher.tick();
    expect(sent).toEqual(['ada']);
  });

  it('puts an emitted notification into the inbox, once', async () => {
    const { messaging, dispatcher } = await boot();
    const { notificationId, enqueued, deduped } = await messaging.emit({
      topic: 'order.placed',
      audience: ['user:ada', 'ada'],
      payload: { title: 'Thank you' },
      dedupKey: 'o-1',
    });
    expect({ enqueued, deduped }).toEqual({ enqueued: 1, deduped: false });
    await dispatcher.tick();
    expect((await messaging.inbox.list({ userId: 'ada' })).items).toMatchObject([{ notificationId, title: 'Thank you', read: false }]);
    expect(await messaging.emit({ topic: 'order.placed', audience: 'ada', dedupKey: 'o-1' })).toMatchObject({
      notificationId,
      deduped: true,
      enqueued: 0,
    });
    expect(await messaging.getNotification(notificationId, { organizationId: 'default' })).toMatchObject({ topic: 'order.placed' });
    expect(await messaging.getNotification(notificationId, { organizationId: 'other' })).toBeNull();
  });

  it('[S6] sends what is due later at its due time, with no other traffic', async () => {
    const { channel, sent } = recordingChannel();
    const { messaging, dispatcher, clock, store } = await boot({ channels: [channel] });
    const settle = () => dispatcher.settled();
    // 302 s in: the last tick was a second ago, the next is after the due time.
    await clock.runFor(302_000, { settle });
    await messaging.emit({ topic: 't', audience: 'ada', channels: ['record'], notBefore: store.clock.now() + 10_000 });
    await clock.runFor(9_999, { settle });
    expect(sent).toEqual([]);
    await clock.runFor(1, { settle });
    expect(sent).toEqual(['ada']);
  });

  it('takes channels of other plugins, and the deployment’s outbox instead of its own', async () => {
    const { channel, sent } = recordingChannel('other');
    const clock = new ManualClock();
    const mine = new MemoryNotificationOutbox({ clock });
    const kernel = new Kernel({ clock })
      .use(storePlugin(database.options))
      .use(messagingPlugin())
      .use({ name: 'pager', init: ({ container }) => container.add(NOTIFICATION_CHANNEL, channel) })
      .bind(NOTIFICATION_OUTBOX, mine);
    kernels.push(kernel);
    await kernel.start();
    const dispatcher = kernel.resolve(NOTIFICATION_DISPATCHER);
    await dispatcher.settled();
    await kernel.resolve(MESSAGING).emit({ topic: 't', audience: 'ada', channels: ['other'] });
    await dispatcher.settled();
    expect(sent).toEqual(['ada']);
    expect((await mine.list()).items).toHaveLength(1);
    expect(await kernel.resolve(STORE).knex('notification_delivery').select()).toEqual([]);
  });

  it('without an outbox delivers inline', async () => {
    const { channel, sent } = recordingChannel();
    const kernel = new Kernel({ clock: new ManualClock() })
      .use(storePlugin(database.options))
      .use(messagingPlugin({ outbox: 'none', channels: [channel] }));
    kernels.push(kernel);
    await kernel.start();
    expect(await kernel.resolve(MESSAGING).emit({ topic: 't', audience: 'ada', channels: ['record'] })).toMatchObject({
      delivered: 1,
      enqueued: 0,
    });
    expect(sent).toEqual(['ada']);
  });

  it('stops its dispatcher: nothing reaches the database afterwards (control: it did before)', async () => {
    const { kernel, clock, store, dispatcher } = await boot();
    await clock.runFor(MINUTE_MS, { settle: () => dispatcher.settled() });
    const before = store.meter.snapshot().statements;
    expect(before).toBeGreaterThan(5);
    await kernel.stop();
    await clock.advance(10 * MINUTE_MS);
    expect(store.meter.snapshot().statements).toBe(before);
  });

  if (name === 'sqlite' || name === 'postgres') {
    it('wakes the kernels of this process that share the database', async () => {
      const { channel, sent } = recordingChannel();
      const emitter = await boot({ channels: [channel], dispatch: false });
      const deliverer = await boot({ channels: [channel], dispatchIntervalMs: MINUTE_MS });
      await deliverer.dispatcher.settled();
      await emitter.messaging.emit({ topic: 't', audience: 'ada', channels: ['record'] });
      await turn();
      await deliverer.dispatcher.settled();
      expect(sent).toEqual(['ada']);
    });
  }
});

it('refuses options that it does not know', () => {
  expect(() => messagingPlugin({ dispatchIntervalMS: 5 } as never)).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
  expect(() => messagingPlugin({ claimTtlMs: 5 })).toThrow(expect.objectContaining({ code: 'PLUGIN_OPTIONS' }));
});

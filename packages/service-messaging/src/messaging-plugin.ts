import {
  DISPATCH_LOCK,
  type INotificationOutbox,
  MESSAGING,
  type MigratingPlugin,
  NOTIFICATION_CHANNEL,
  NOTIFICATION_OUTBOX,
  STORE,
  type Store,
} from '@bellhop/contracts';
import { type PluginContext, type PluginHealth, parseOptions } from '@bellhop/kernel';
import type { z } from 'zod';
import { InboxChannel } from './channels/inbox-channel.js';
import { LogChannel } from './channels/log-channel.js';
import { NotificationDispatcher } from './dispatcher/notification-dispatcher.js';
import { NOTIFICATION_DISPATCHER } from './dispatcher-token.js';
import { InboxService } from './inbox/inbox-service.js';
import { SqlInboxStore } from './inbox/sql-inbox-store.js';
import { type MessagingPluginOptions, messagingOptionsSchema } from './messaging-options.js';
import { type Enqueued, MessagingService } from './messaging-service.js';
import { messagingMigrations } from './migrations/messaging-migrations.js';
import { MemoryNotificationOutbox } from './stores/memory-notification-outbox.js';
import { SqlEmitWriter } from './stores/sql-emit-writer.js';
import { SqlEventStore } from './stores/sql-event-store.js';
import { SqlNotificationOutbox } from './stores/sql-notification-outbox.js';

/** The topic under which processes of one database tell each other of new deliveries. */
const SIGNAL_TOPIC = 'notification_delivery';

/**
 * The plugin `service-messaging`: binds `MESSAGING` and, unless the deployment did, `NOTIFICATION_OUTBOX`; migrates its tables; runs the
 * dispatcher, woken by its own emits after their commit and by the signals of others.
 *
 * @throws BellhopError `PLUGIN_OPTIONS` at once, for options that are not allowed.
 */
export function messagingPlugin(given: MessagingPluginOptions = {}): MigratingPlugin {
  const options = parseOptions('service-messaging', messagingOptionsSchema, given);
  let messaging: Messaging | undefined;
  return {
    name: 'service-messaging',
    requires: ['store'],
    migrations: [messagingMigrations],
    init({ container, clock, random }) {
      if (options.outbox === 'sql') {
        container.bindFactory(NOTIFICATION_OUTBOX, () => new SqlNotificationOutbox({ store: container.resolve(STORE), random }));
      }
      if (options.outbox === 'memory') {
        container.bindFactory(NOTIFICATION_OUTBOX, () => {
          const store = container.resolve(STORE);
          return new MemoryNotificationOutbox({ clock, random, afterCommit: (trx, fn) => store.afterCommit(trx, fn) });
        });
      }
      container.bindFactory(MESSAGING, () => assembled().service);
      if (options.dispatch && options.outbox !== 'none') {
        container.bindFactory(NOTIFICATION_DISPATCHER, () => assembled().dispatcher as NotificationDispatcher);
      }
    },
    async start(ctx) {
      await ctx.container.resolve(STORE).migrate(messagingMigrations);
      messaging = assemble(ctx, options);
      messaging.start();
    },
    async stop() {
      await messaging?.stop();
    },
    health: () => messaging?.health() ?? { status: 'failing', reason: 'not started' },
  };

  function assembled(): Messaging {
    if (!messaging) throw new Error('MESSAGING is there once service-messaging has started: put "service-messaging" into `requires`.');
    return messaging;
  }
}

interface Messaging {
  readonly service: MessagingService;
  readonly dispatcher: NotificationDispatcher | undefined;
  start(): void;
  stop(): Promise<void>;
  health(): PluginHealth;
}

function assemble(ctx: PluginContext, options: z.output<typeof messagingOptionsSchema>): Messaging {
  const { container, random, logger, signal } = ctx;
  const store = container.resolve(STORE);
  const inboxStore = new SqlInboxStore(store);
  const service = new MessagingService({
    clock: store.clock,
    random,
    logger,
    events: new SqlEventStore(store),
    inbox: new InboxService(inboxStore, store.clock),
    afterCommit: (trx, fn) => store.afterCommit(trx, fn),
    signal,
  });
  service.registerChannel(new InboxChannel({ store: inboxStore, random }));
  service.registerChannel(new LogChannel());
  for (const channel of [...container.resolveAll(NOTIFICATION_CHANNEL), ...options.channels]) service.registerChannel(channel);

  const outbox = options.outbox === 'none' ? undefined : container.resolve(NOTIFICATION_OUTBOX);
  const dispatcher =
    outbox && options.dispatch
      ? new NotificationDispatcher({
          outbox,
          channels: service.channelRegistry,
          clock: store.clock,
          random,
          logger,
          ...(container.isBound(DISPATCH_LOCK) ? { lock: container.resolve(DISPATCH_LOCK) } : {}),
          intervalMs: options.dispatchIntervalMs,
          maxIdleIntervalMs: options.dispatchMaxIdleIntervalMs,
          partitionCount: options.partitionCount,
          batchSize: options.batchSize,
          concurrency: options.concurrency,
          channelConcurrency: options.channelConcurrency,
          claimTtlMs: options.claimTtlMs,
          sendTimeoutMs: options.sendTimeoutMs,
        })
      : undefined;
  const announce = ({ dueAt }: Enqueued): void => {
    wakeAt(dispatcher, dueAt, store);
    store.signals.signal(SIGNAL_TOPIC, { dueAt });
  };
  if (outbox) service.setOutbox(outbox, { onEnqueued: announce, ...writerOf(outbox, store) });
  let leave = () => {};
  return {
    service,
    dispatcher,
    start() {
      leave = store.signals.onRemoteSignal(SIGNAL_TOPIC, ({ dueAt }) => wakeAt(dispatcher, dueAt ?? 0, store));
      dispatcher?.start();
    },
    async stop() {
      leave();
      await dispatcher?.stop({ deadlineMs: options.stopDeadlineMs });
    },
    health: () => dispatcher?.health() ?? { status: 'ok', details: { dispatching: false } },
  };
}

/** Due now wakes the dispatcher, due later lowers its timer. */
function wakeAt(dispatcher: NotificationDispatcher | undefined, dueAt: number, store: Store): void {
  if (dueAt <= store.clock.now()) dispatcher?.wake();
  else dispatcher?.due(dueAt);
}

/** Our own outbox shares the database with the events, so one transaction holds both. */
function writerOf(outbox: INotificationOutbox, store: Store): { writer?: SqlEmitWriter } {
  return outbox instanceof SqlNotificationOutbox && outbox.store === store ? { writer: new SqlEmitWriter(store) } : {};
}

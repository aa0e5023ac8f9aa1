import { messagingMigrations, NotificationDispatcher, SqlNotificationOutbox } from '@bellhop/service-messaging';
import { ManualClock, withoutCapabilities } from '@bellhop/testing';
import { countIdle, type IdleLoop } from './idle-loop.js';

/** The outbox's members that each setting hides, and the statements a tick may then cost with P partitions. */
export const CAPABILITIES = {
  all: { title: 'one survey', hidden: [], perTick: () => 1 },
  reap: { title: 'no survey', hidden: ['survey'], perTick: (partitions: number) => 1 + 2 * partitions },
  none: { title: 'no survey, no reap', hidden: ['survey', 'reap'], perTick: (partitions: number) => 4 * partitions },
} as const;

/** The channel a host always has; while nothing is due it is never asked. */
const INBOX_ONLY = {
  ids: () => ['inbox'],
  get: () => undefined,
};

export function idleDispatcher(partitionCount: number, capabilities: keyof typeof CAPABILITIES): IdleLoop {
  const { hidden, perTick } = CAPABILITIES[capabilities];
  return {
    perTick: perTick(partitionCount),
    readsOnly: capabilities === 'all',
    async measure(database, forMs) {
      const clock = new ManualClock();
      const store = await database.open({ clock });
      await store.migrate(messagingMigrations);
      const dispatcher = new NotificationDispatcher({
        outbox: withoutCapabilities(new SqlNotificationOutbox({ store }), hidden),
        channels: INBOX_ONLY,
        clock: store.clock,
        partitionCount,
      });
      return countIdle(dispatcher, { store, clock, forMs });
    },
  };
}

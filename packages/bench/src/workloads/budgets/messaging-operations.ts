import type { INotificationOutbox } from '@bellhop/contracts';
import {
  InboxService,
  MessagingService,
  messagingMigrations,
  NotificationDispatcher,
  SqlEmitWriter,
  SqlEventStore,
  SqlInboxStore,
  SqlNotificationOutbox,
} from '@bellhop/service-messaging';
import type { ManualClock, TestStoreName } from '@bellhop/testing';
import { operationsOf } from './operation.js';

const CLAIM_TTL_MS = 5_000;
const NODE = { nodeId: 'bench', claimTtlMs: CLAIM_TTL_MS, channels: ['inbox'], skipReap: true };

interface MessagingBench {
  readonly clock: ManualClock;
  readonly outbox: Required<INotificationOutbox>;
  readonly messaging: MessagingService;
  readonly dispatcher: NotificationDispatcher;
}

/** One exchange where the database is a server that takes a transaction as one batch. */
const inOneTransaction = (statements: number) => (store: TestStoreName) => ({
  statements,
  transactions: 1,
  ...(store === 'libsql-remote' ? { roundTrips: 1 } : {}),
});
const recipients = (count: number) => Array.from({ length: count }, (_, index) => `user:u${index}`);

export const messagingOperations = operationsOf<MessagingBench>(
  async (store, clock) => {
    await store.migrate(messagingMigrations);
    const outbox = new SqlNotificationOutbox({ store });
    const messaging = new MessagingService({
      clock: store.clock,
      events: new SqlEventStore(store),
      inbox: new InboxService(new SqlInboxStore(store), store.clock),
    });
    messaging.registerChannel({ id: 'inbox', send: async () => ({ ok: true }) });
    messaging.setOutbox(outbox, { writer: new SqlEmitWriter(store) });
    const dispatcher = new NotificationDispatcher({ outbox, channels: messaging.channelRegistry, clock: store.clock });
    return { clock, outbox, messaging, dispatcher };
  },
  {
    idleTick: { run: ({ dispatcher }) => dispatcher.tick(), limits: () => ({ statements: 1 }) },
    emit1: {
      run: ({ messaging }) => messaging.emit({ topic: 'bench', audience: recipients(1), payload: { title: 'Hello' }, dedupKey: 'emit1' }),
      limits: inOneTransaction(3),
    },
    emit100: {
      run: ({ messaging }) =>
        messaging.emit({ topic: 'bench', audience: recipients(100), payload: { title: 'Hello' }, dedupKey: 'emit100' }),
      limits: inOneTransaction(3),
    },
    claimAck32: {
      prepare: ({ messaging }) => messaging.emit({ topic: 'bench', audience: recipients(32) }),
      async run({ outbox }) {
        const claims = await outbox.claim({ ...NODE, limit: 32 });
        if (claims.length !== 32) throw new Error(`claimAck32 claimed ${claims.length} rows of 32`);
        await outbox.ackMany(claims.map((claim) => ({ claim, result: { success: true } })));
      },
      limits: () => ({ statements: 3 }),
    },
    reap1000: {
      async prepare({ messaging, outbox, clock }) {
        await messaging.emit({ topic: 'bench', audience: recipients(1_000) });
        await outbox.claim({ ...NODE, limit: 1_000 });
        await clock.advance(CLAIM_TTL_MS);
      },
      async run({ outbox }) {
        const reaped = await outbox.reap({ claimTtlMs: CLAIM_TTL_MS });
        if (reaped !== 1_000) throw new Error(`reap1000 reaped ${reaped} rows of 1000`);
      },
      limits: () => ({ statements: 1 }),
    },
  },
);

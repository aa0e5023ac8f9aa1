import type { INotificationOutbox, Store } from '@bellhop/contracts';
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
import { ManualClock, TEST_STORE_NAMES, type TestStoreName } from '@bellhop/testing';
import { table } from '../report/benchmarks-page.js';
import type { Excess, Workload } from '../workload.js';

/** What one operation cost. */
interface Cost {
  readonly statements: number;
  readonly transactions: number;
  readonly roundTrips: number;
}

type Limits = Partial<Cost>;

const CLAIM_TTL_MS = 5_000;
const NODE = { nodeId: 'bench', claimTtlMs: CLAIM_TTL_MS, channels: ['inbox'], skipReap: true };

interface Bench {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly outbox: Required<INotificationOutbox>;
  readonly messaging: MessagingService;
  readonly dispatcher: NotificationDispatcher;
}

interface Operation {
  /** What may cost nothing of it: done before the counting. */
  readonly prepare?: (bench: Bench) => Promise<unknown>;
  readonly run: (bench: Bench) => Promise<unknown>;
  readonly limits: (store: TestStoreName) => Limits;
}

/** One exchange where the database is a server that takes a transaction as one batch. */
const inOneTransaction = (statements: number) => (store: TestStoreName) => ({
  statements,
  transactions: 1,
  ...(store === 'libsql-remote' ? { roundTrips: 1 } : {}),
});
const recipients = (count: number) => Array.from({ length: count }, (_, index) => `user:u${index}`);

const OPERATIONS: Readonly<Record<string, Operation>> = {
  idleTick: { run: ({ dispatcher }) => dispatcher.tick(), limits: () => ({ statements: 1 }) },
  emit1: {
    run: ({ messaging }) => messaging.emit({ topic: 'bench', audience: recipients(1), payload: { title: 'Hello' }, dedupKey: 'emit1' }),
    limits: inOneTransaction(3),
  },
  emit100: {
    run: ({ messaging }) => messaging.emit({ topic: 'bench', audience: recipients(100), payload: { title: 'Hello' }, dedupKey: 'emit100' }),
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
};

/** What each operation costs its database, in statements, transactions and exchanges: counted, never timed. */
export const budgets: Workload = {
  name: 'budgets',
  description: 'statements, transactions and round trips of each operation, on every store',
  options: [],
  defaultStores: TEST_STORE_NAMES,
  async run({ stores, quick, database }) {
    if (quick) throw new RangeError('--quick: this workload counts single operations and has no shorter form.');
    const json: Record<string, Record<string, Cost>> = {};
    const excesses: Excess[] = [];
    for (const name of stores) {
      const costs: Record<string, Cost> = {};
      for (const [operation, definition] of Object.entries(OPERATIONS)) {
        const clock = new ManualClock();
        const cost = await measure(await assemble(await (await database(name)).open({ clock }), clock), definition);
        costs[operation] = cost;
        for (const [what, limit] of Object.entries(definition.limits(name))) {
          const measured = cost[what as keyof Cost];
          if (measured > limit) excesses.push({ what: `${name}.${operation}.${what}`, measured, limit });
        }
      }
      json[name] = costs;
    }
    return { json, excesses };
  },
  report(results) {
    const costs = Object.assign({}, ...results.map(({ result }) => result)) as Record<string, Record<string, Cost>>;
    const cell = (cost: Cost | undefined) => (cost ? `${cost.statements} / ${cost.transactions} / ${cost.roundTrips}` : '');
    const rows = Object.entries(costs).map(([store, of]) => [store, ...Object.keys(OPERATIONS).map((operation) => cell(of[operation]))]);
    return { markdown: `Statements / transactions / round trips.\n\n${table(['store', ...Object.keys(OPERATIONS)], rows)}`, charts: [] };
  },
};

async function assemble(store: Store, clock: ManualClock): Promise<Bench> {
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
  return { store, clock, outbox, messaging, dispatcher };
}

async function measure(bench: Bench, { prepare, run }: Operation): Promise<Cost> {
  await prepare?.(bench);
  bench.store.meter.reset();
  await run(bench);
  const { statements, transactions, roundTrips } = bench.store.meter.snapshot();
  return { statements, transactions, roundTrips };
}

// What an emit writes and announces: S5, the inbox's B8, the emit writer's promises, and what the seed's A2 pins in the service and over every store.
import type { Ablation } from '../ablation.js';
import { onStores, type StoreName } from '../on-stores.js';

const SRC = 'packages/service-messaging/src';
const SERVICE = `${SRC}/messaging-service.ts`;
const WRITER = `${SRC}/stores/sql-emit-writer.ts`;

const SERVICE_TESTS = `${SRC}/messaging-service.test.ts`;
const SPLIT_WRITER = `${SRC}/split-emit-writer.test.ts`;
const PLUGIN = `${SRC}/messaging-plugin.integration.test.ts`;
const EMITS = `${SRC}/stores/sql-emit-writer.integration.test.ts`;
const KILLED = `${SRC}/stores/sql-emit-writer.killed.integration.test.ts`;
const REMOTE_FAULTS = `${SRC}/stores/sql-emit-writer.remote-faults.integration.test.ts`;
const INBOX = [
  `${SRC}/channels/channels.test.ts`,
  `${SRC}/stores/memory-inbox-store.test.ts`,
  `${SRC}/stores/sql-event-and-inbox-stores.integration.test.ts`,
];

const onEnqueued = (title: string) => `onEnqueued > ${title}`;
const WAKES_AFTER_COMMIT = '[S5] wakes after the commit of the caller’s transaction, and never after its rollback';
const S5_SERVICE = [
  '[on-enqueued][S5] is called when the rows can be claimed, not before',
  '[on-enqueued][S5] is called after the commit of the transaction the emit joined, once per emit',
  '[on-enqueued][S5] is never called after a rollback, and the emit is gone (control: the next one commits)',
].map(onEnqueued);
const SHARE_A_DATABASE: readonly StoreName[] = ['sqlite', 'postgres'];

const emitsOn = (...titles: string[]) => onStores((store) => titles.map((title) => `emits on ${store} > ${title}`));
const BUDGET = '[emit-budget] costs two statements, a third for dedup keys, however many recipients; one transaction, one exchange';
const CHUNKS = '[emit-chunks] writes a thousand rows a statement, all in one transaction';
const resent = (fault: string) => `[emit-resent] an emit over remote libSQL is written once, with the ids it was given: ${fault}`;
const ONE_MESSAGE = '[B8] holds one message per event and user: a repeat changes nothing and gives the first id';

export const ablations: readonly Ablation[] = [
  {
    id: 'S5',
    why: 'An emit in a transaction announces its rows after the commit, when they can be claimed, and never after a rollback.',
    file: SERVICE,
    anchor: 'if (trx) this.#afterCommit?.(trx, announce);\n    else announce();',
    replacement: 'announce();',
    expectCount: 1,
    tests: [SERVICE_TESTS, PLUGIN],
    red: [...S5_SERVICE, ...onStores((store) => [`messagingPlugin on ${store} > ${WAKES_AFTER_COMMIT}`])],
  },
  {
    id: 'on-enqueued',
    why: 'A2 in the service and in the plugin on every store: an emit that enqueued calls onEnqueued.',
    file: SERVICE,
    anchor: '    this.#announce(calls, written, trx);\n',
    replacement: '',
    expectCount: 1,
    tests: [SERVICE_TESTS, SPLIT_WRITER, PLUGIN],
    red: [
      ...[
        '[on-enqueued] is called once per emit that enqueued, with the time of the emit for what is due at once',
        '[on-enqueued] is called with the due time of what is due later',
        '[on-enqueued] is called once for an emitMany, with the earliest due time of all its rows',
        '[on-enqueued] is not called for an emit that enqueues nothing: no recipient, no channel, a repeat (control: the first of the key)',
        '[on-enqueued] is called once a write that takes its time is done, not before',
        '[on-enqueued] may throw: the emit stands',
      ].map(onEnqueued),
      ...S5_SERVICE,
      'SplitEmitWriter > [on-enqueued] a retry that goes on where the first stopped wakes the dispatcher',
      ...onStores((store) =>
        [
          '[on-enqueued] delivers what is emitted at once, while a row that nobody announced waits for the interval (the control)',
          WAKES_AFTER_COMMIT,
          '[S6] sends what is due later at its due time, with no other traffic',
          'takes channels of other plugins, and the deployment’s outbox instead of its own',
        ].map((title) => `messagingPlugin on ${store} > ${title}`),
      ),
      ...onStores((store) => [`messagingPlugin on ${store} > wakes the kernels of this process that share the database`], SHARE_A_DATABASE),
    ],
  },
  {
    id: 'emit-atomic',
    why: 'An event and its deliveries are one transaction; in one each, what fails or dies between them leaves an event without its rows.',
    file: WRITER,
    anchor: 'const results = await this.#store.batch(steps, { ...options, replayable: true });',
    replacement: `const results: Awaited<ReturnType<Store['batch']>> = [];
    for (const step of steps) results.push(...(await this.#store.batch([step], { ...options, replayable: true })));`,
    expectCount: 1,
    tests: [EMITS, KILLED],
    red: [
      ...emitsOn('[emit-atomic] writes both or neither: a delivery that cannot be written takes its event with it', BUDGET, CHUNKS),
      ...onStores(
        (store) => [
          `a node that is killed while it emits, on ${store} > [emit-atomic] leaves no event without all its deliveries, and none that was reported missing`,
        ],
        ['sqlite', 'libsql', 'postgres'],
      ),
    ],
  },
  {
    id: 'emit-resent:replay',
    why: 'An emit converges on its ids, so it may be sent again when the answer was lost or nobody knows what happened.',
    file: WRITER,
    anchor: '{ ...options, replayable: true }',
    replacement: '{ ...options, replayable: false }',
    expectCount: 1,
    tests: [REMOTE_FAULTS],
    red: ['dropConnection', 'dropAfterApply', 'http500'].map(resent),
  },
  {
    id: 'emit-resent:not-run',
    why: 'What the server says it did not run, for a lock or an expired stream, is sent again.',
    file: 'packages/store/src/retry.ts',
    anchor: 'if (!on.includes(faultKind(error))) throw error;',
    replacement: "if (!on.includes('connection') || faultKind(error) !== 'connection') throw error;",
    expectCount: 1,
    tests: [REMOTE_FAULTS],
    red: ['streamExpired', 'busy'].map(resent),
  },
  {
    id: 'emit-dedup',
    why: 'A dedup key is unique by its index, however many emit it at once.',
    file: `${SRC}/migrations/messaging-migrations.ts`,
    anchor: "'CREATE UNIQUE INDEX notification_dedup ",
    replacement: "'CREATE INDEX notification_dedup ",
    expectCount: 1,
    tests: [EMITS],
    red: emitsOn(
      '[emit-dedup] one key makes one event, however many emit it at once, on two connections; the others get its id',
      '[emit-dedup] a key belongs to its organization and topic, and may repeat within a call',
      'in a transaction, a taken key is a repeat, and leaves the transaction alive',
      'events alone join transactions too, and converge across connections',
    ),
  },
  {
    id: 'emit-budget',
    why: 'An emit without a dedup key is two statements: only keys are looked up.',
    file: WRITER,
    anchor: 'if (keys.length > 0 && !blind) steps.push(',
    replacement: 'if (!blind) steps.push(',
    expectCount: 1,
    tests: [EMITS],
    red: emitsOn(BUDGET, CHUNKS),
  },
  {
    id: 'emit-chunks',
    why: 'A statement writes a thousand deliveries at most.',
    file: WRITER,
    anchor: 'const ROWS_PER_STATEMENT = 1_000;',
    replacement: 'const ROWS_PER_STATEMENT = 100_000;',
    expectCount: 1,
    tests: [EMITS],
    red: emitsOn(CHUNKS),
  },
  {
    id: 'B8:memory',
    why: 'The memory inbox holds one message per event and user: a repeat finds the first.',
    file: `${SRC}/stores/memory-inbox-store.ts`,
    anchor: '    if (existing) return { id: existing.id, inserted: false };\n',
    replacement: '    void existing;\n',
    expectCount: 1,
    tests: INBOX,
    red: [
      `inbox: MemoryInboxStore > ${ONE_MESSAGE}`,
      'InboxChannel > [B8] is idempotent: one row per event and user, however often it is sent (control: another event, another user)',
    ],
  },
  {
    id: 'B8:sql',
    why: 'The SQL inbox keeps the first message of an event and user: a repeat that replaced it would show it again, unread.',
    file: `${SRC}/sql/inbox-messages.ts`,
    anchor: 'DO UPDATE SET notification_id = excluded.notification_id',
    replacement: "DO UPDATE SET id = excluded.id, title = excluded.title, state = 'delivered'",
    expectCount: 1,
    tests: INBOX,
    red: onStores((store) => [
      `on ${store} > inbox: SqlInboxStore > ${ONE_MESSAGE}`,
      `on ${store} > [B8] two nodes that deliver the same event to an inbox at once make one message`,
    ]),
  },
];

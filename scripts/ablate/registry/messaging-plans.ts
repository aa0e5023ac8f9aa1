// How the hot statements find their rows: by an index of their own, by a key, once.
import type { Ablation, StaysGreen } from '../ablation.js';

const SRC = 'packages/service-messaging/src';
const MIGRATIONS = `${SRC}/migrations/messaging-migrations.ts`;
const ENQUEUE = `${SRC}/sql/enqueue-deliveries.ts`;
const tests = [`${SRC}/sql/statement-plans.integration.test.ts`];

const SQLITE = ['[plans] on sqlite', '[plans] on libsql'];
const POSTGRES = ['[plans] on postgres > custom plans', '[plans] on postgres > generic plans'];
const everywhere = (...titles: string[]) => titles.flatMap((title) => [...SQLITE, ...POSTGRES].map((where) => `${where} > ${title}`));
const onSqlite = (...titles: string[]) => titles.flatMap((title) => SQLITE.map((where) => `${where} > ${title}`));
const staysGreen = (names: readonly string[], why: string): StaysGreen[] => names.map((name) => ({ name, why }));

const LAST_INDEX = "archived_at) WHERE state = 'delivered' AND archived_at IS NULL`,\n      ]";

export const ablations: readonly Ablation[] = [
  {
    id: 'plans:indexes',
    why: 'Each hot statement has an index made for it; without them it reads tables from end to end, or an index of another.',
    file: MIGRATIONS,
    anchor: `${LAST_INDEX},`,
    // The inbox's unique index stays: without it inserts do not run at all.
    replacement: `${LAST_INDEX}.filter((step) => typeof step !== 'string' || step.includes('inbox_message_target')),`,
    expectCount: 1,
    tests,
    red: [
      ...everywhere(
        'claim',
        'claimDigest',
        'survey',
        'pending channels',
        'pending channels of digests',
        'reap',
        'enqueue, conflicts',
        'events, conflicts',
        'deliveries of an organization',
        'dead deliveries of an organization',
        'deliveries of an event',
        'cancel an event’s',
        'inbox unread',
        'inbox mark all',
        'inbox list',
        'inbox list, unread',
        'inbox list, read',
        'inbox list, filtered',
      ),
      ...onSqlite('the count of unread messages reads its index alone'),
      '[plans] on postgres > a claim of digests reads as many rows as it looks at, however many are due',
    ],
    green: [
      ...staysGreen(everywhere('shows a scan for what it is (control)'), 'The control: a scan by design, which no index serves.'),
      ...staysGreen(
        everywhere('inbox insert'),
        'It reads no table, so there is no index to lose; plans:look-up shows on the other inserts what a read would turn red.',
      ),
    ],
  },
  {
    id: 'plans:keys',
    why: 'What is named by its id is found by the primary key.',
    file: MIGRATIONS,
    anchor: "table.string('id', NAME).primary();",
    replacement: "table.string('id', NAME).notNullable();",
    expectCount: 3,
    tests,
    red: [
      ...everywhere('claim', 'claimDigest', 'deliveries of events', 'an event', 'events fanned out', 'cancel one'),
      ...everywhere('ack', 'renew', 'release', 'inbox mark', 'inbox archive'),
    ],
  },
  {
    id: 'plans:held',
    why: 'An outcome finds its row by the id; by the token alone it reads every delivery there is.',
    file: `${SRC}/sql/settle-deliveries.ts`,
    anchor: '`d.id = a.id AND d.claim_token = a.token',
    replacement: '`d.claim_token = a.token',
    expectCount: 1,
    tests,
    red: everywhere('ack', 'renew', 'release'),
  },
  {
    id: 'plans:look-up',
    why: 'An insert leaves conflicts to the unique index and reads no table first.',
    file: ENQUEUE,
    anchor: ')} WHERE true\n      ON CONFLICT DO NOTHING`',
    replacement:
      ")} WHERE NOT EXISTS (SELECT 1 FROM notification_delivery AS before WHERE before.error = 'x')\n      ON CONFLICT DO NOTHING`",
    expectCount: 2,
    tests,
    red: everywhere('enqueue', 'events'),
  },
  {
    id: 'plans:once',
    why: 'SQLite reads an event of an emit once, not again for each of its deliveries.',
    file: ENQUEUE,
    anchor: 'WITH e AS MATERIALIZED (',
    replacement: 'WITH e AS NOT MATERIALIZED (',
    expectCount: 1,
    tests,
    red: onSqlite('an event is read once, not again for each of its deliveries'),
  },
];

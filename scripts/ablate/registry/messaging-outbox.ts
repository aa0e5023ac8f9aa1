// The outbox's rules, each taken out of the memory table and of the SQL: S3, S7, B6, B7, whole digests, the state table, the model.
import type { Ablation } from '../ablation.js';
import { onStores } from '../on-stores.js';

const SRC = 'packages/service-messaging/src';
const MEMORY_OUTBOX = `${SRC}/stores/memory-notification-outbox.ts`;
const CLAIMS = `${SRC}/sql/claim-deliveries.ts`;
const SETTLE = `${SRC}/sql/settle-deliveries.ts`;

const MEMORY = `${SRC}/stores/memory-notification-outbox.test.ts`;
const memoryFile = (section: string) => `${SRC}/stores/memory-notification-outbox.${section}.test.ts`;
const sqlFile = (section: string) => `${SRC}/stores/sql-notification-outbox.${section}.integration.test.ts`;
const CLAIM_TOKENS = [MEMORY, sqlFile('claim-tokens')];
const DIGESTS = [MEMORY, sqlFile('digests')];
const STATE_TABLE = [memoryFile('state-table'), sqlFile('state-table')];
const HISTORIES = [memoryFile('histories'), sqlFile('histories')];

/** Tests of a section of the conformance suite, over the memory outbox and over the SQL outbox on every store. */
const inMemory = (section: string, titles: readonly string[]) =>
  titles.map((title) => `notification outbox contract: MemoryNotificationOutbox > ${section} > ${title}`);
const inSql = (section: string, titles: readonly string[]) =>
  onStores((store) =>
    titles.map((title) => `on ${store} > notification outbox contract: SqlNotificationOutbox on ${store} > ${section} > ${title}`),
  );

const NOT_HELD = 'a claim that is no longer held';
const OTHER_TOKEN = [
  '[B6][S3] cannot ack: the row was reaped and claimed by another node',
  '[B6][S3] cannot ack: the same node claimed the row again',
  '[B6][S3] cannot ack: the row failed, was due again and was claimed by the same node within one instant',
  '[B6][S3] cannot ack through ackMany either',
];
const NO_CLAIM = [
  '[B6] cannot ack a row that was reaped and waits',
  '[B6] cannot ack twice',
  '[B6] may be acked once by two nodes at the same time',
];
const UNKNOWN_ROW = '[B6] cannot ack a row that the outbox does not know';
const ACK_MANY = ['ackMany gives outcomes in the order of the acks, each as ack would'];
const RENEW_AND_RELEASE = ['renew does not touch a claim of somebody else', 'release hands back many and leaves alone what is not held'];

const PARTITIONS = [
  'are ranges of the 4096 slots',
  '[B7] may change their count while rows wait, and strand none',
  '[B7] grow from a few to 4096 without stranding a row',
];

const WHOLE_DIGESTS = [
  '[digest-whole] that failed come back whole at one time',
  '[digest-whole] whose claim expired come back whole',
  '[digest-whole] wait while a part of them is in flight, and then come whole',
  '[digest-whole] are never split between two nodes that claim at once',
  '[digest-whole] are not split by rows that arrive while two nodes claim',
  'are taken as a claim takes rows: in flight, counted, with a token, an expiry and one group',
  'are told apart by key and organization',
  'that were released come back whole, uncounted',
];
/** SQL puts rows in order by their groups. */
const GROUP_ORDER = [
  'come whole when their earliest row is due, the later ones with it',
  'go by due time, group after group, and within a group by creation',
];

const STATUSES = ['pending', 'in_flight', 'success', 'dead', 'suppressed', 'cancelled'].map((status) => `[state-table] ${status}`);
const MODEL = ['[outbox-model] every interleaving of operations answers and ends as the model does'];

const HELD_ROW = "return row?.status === 'in_flight' && row.claimToken === claim.claimToken ? row : undefined;";
// biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
const HELD = '`d.id = a.id AND d.claim_token = a.token AND ${inFlight(family)}`';

export const ablations: readonly Ablation[] = [
  {
    id: 'S3:memory',
    why: 'An outcome is written for the claim with the token, not for whoever holds the row.',
    file: MEMORY_OUTBOX,
    anchor: HELD_ROW,
    replacement: "return row?.status === 'in_flight' ? row : undefined;",
    expectCount: 1,
    tests: CLAIM_TOKENS,
    red: [...inMemory(NOT_HELD, OTHER_TOKEN), ...inMemory('renew and release', RENEW_AND_RELEASE)],
  },
  {
    id: 'S3:sql',
    why: 'The same in SQL: the token is part of the one conditional statement.',
    file: SETTLE,
    anchor: HELD,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: '`d.id = a.id AND ${inFlight(family)}`',
    expectCount: 1,
    tests: CLAIM_TOKENS,
    red: inSql(NOT_HELD, OTHER_TOKEN),
  },
  {
    id: 'B6:memory',
    why: 'A late ack is refused: without the compare-and-set it overwrites whatever the row has become.',
    file: MEMORY_OUTBOX,
    anchor: HELD_ROW,
    replacement: 'return row;',
    expectCount: 1,
    tests: CLAIM_TOKENS,
    red: [
      ...inMemory(NOT_HELD, [...OTHER_TOKEN, ...NO_CLAIM]),
      ...inMemory('ack', ACK_MANY),
      ...inMemory('renew and release', [
        ...RENEW_AND_RELEASE,
        'renew extends held claims, and reports the lost ones in the order of the claims',
      ]),
      ...inMemory('digests', ['hold a claim that a late ack cannot use']),
    ],
    green: inMemory(NOT_HELD, [UNKNOWN_ROW]).map((name) => ({
      name,
      why: 'In memory there is no row of that id to overwrite; in SQL the statement could reach others, and B6:sql shows it.',
    })),
  },
  {
    id: 'B6:sql',
    why: 'The same in SQL: without its condition the statement writes rows whose claim is gone.',
    file: SETTLE,
    anchor: HELD,
    replacement: '`d.id IS NOT NULL`',
    expectCount: 1,
    tests: CLAIM_TOKENS,
    red: [...inSql(NOT_HELD, [...OTHER_TOKEN, ...NO_CLAIM, UNKNOWN_ROW]), ...inSql('ack', ACK_MANY)],
  },
  {
    id: 'B7',
    why: 'Partitions are ranges of slots at the moment of asking; ranges of a fixed width strand rows when the count changes.',
    file: `${SRC}/delivery-slot.ts`,
    anchor: 'return { from: Math.floor((index * SLOT_COUNT) / count), to: Math.floor(((index + 1) * SLOT_COUNT) / count) };',
    replacement: 'return { from: (index * SLOT_COUNT) / 8, to: ((index + 1) * SLOT_COUNT) / 8 };',
    expectCount: 1,
    tests: [`${SRC}/delivery-slot.test.ts`, MEMORY, sqlFile('partitions')],
    red: [
      'slotRange > [B7] gives every slot to exactly one partition, whatever the count',
      ...inMemory('partitions', PARTITIONS),
      ...inSql('partitions', PARTITIONS),
    ],
  },
  {
    id: 'S7',
    why: 'A digest claim on Postgres waits for the rows that another holds; SKIP LOCKED would take the rest of the group without them.',
    file: CLAIMS,
    anchor: 'FOR UPDATE OF m)',
    replacement: 'FOR UPDATE OF m SKIP LOCKED)',
    expectCount: 1,
    tests: [sqlFile('digest-locks')],
    red: [
      ['commits', 0],
      ['dies', 8],
    ].map(
      ([ending, taken]) =>
        `a digest claim on Postgres, while another node holds half of the group > [S7] waits for it: when the other ${ending}, it takes ${taken} of 8 rows`,
    ),
  },
  {
    id: 'digest-whole:memory',
    why: 'A digest group gets one name when it is first claimed, which keeps it whole; a name for each row makes each a message of its own.',
    file: MEMORY_OUTBOX,
    anchor: 'this.#take(member, claim, token, group))',
    replacement: "this.#take(member, claim, token, row.digestGroup ?? [group, member.id].join(' ')))",
    expectCount: 1,
    tests: DIGESTS,
    red: inMemory('digests', WHOLE_DIGESTS),
  },
  {
    id: 'digest-whole:sql',
    why: 'The same in SQL, where two dispatchers send it, too.',
    file: CLAIMS,
    anchor: "CAST(:token AS TEXT) || ' ' || organization_id",
    replacement: "id || ' ' || organization_id",
    expectCount: 1,
    tests: DIGESTS,
    red: [
      ...inSql('digests', [...WHOLE_DIGESTS, ...GROUP_ORDER]),
      ...onStores((store) => [`on ${store} > [digest-whole] two dispatchers send one digest once`]),
    ],
  },
  {
    id: 'state-table:memory',
    why: 'A reap returns what is in flight and expired; whatever else it took would leave its place in the state table.',
    file: MEMORY_OUTBOX,
    anchor: 'const expired = [...this.#table.expiries.upTo(now)].map(({ id }) => this.#table.get(id) as DeliveryRow);',
    replacement: 'const expired = [...this.#table.all()];',
    expectCount: 1,
    tests: STATE_TABLE,
    red: inMemory('state table', STATUSES),
  },
  {
    id: 'state-table:sql',
    why: 'The same in SQL.',
    file: SETTLE,
    anchor: "WHERE status = 'in_flight' AND claim_expires_at <= :now`",
    replacement: 'WHERE created_at <= :now`',
    expectCount: 1,
    tests: STATE_TABLE,
    red: inSql('state table', STATUSES),
  },
  {
    id: 'outbox-model:memory',
    // Seen at the first enqueue, so that no history, however it is drawn, can miss it.
    why: 'Random histories find what differs from the model: a row that begins with an attempt.',
    file: `${SRC}/stores/memory-delivery-table.ts`,
    anchor: 'attempts: 0,',
    replacement: 'attempts: 1,',
    expectCount: 1,
    tests: HISTORIES,
    red: inMemory('random histories', MODEL),
  },
  {
    id: 'outbox-model:sql',
    why: 'The same in SQL.',
    file: `${SRC}/sql/enqueue-deliveries.ts`,
    anchor: "Object.keys(GIVEN).join(', ')}, 'pending', 0,",
    replacement: "Object.keys(GIVEN).join(', ')}, 'pending', 1,",
    expectCount: 1,
    tests: HISTORIES,
    red: inSql('random histories', MODEL),
  },
];

import type { SqlParams, Statement, Store } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { claimDeliveries, claimDigests, pendingChannels } from './claim-deliveries.js';
import { findDedupKeys, findTargets, insertDeliveries, insertEventDeliveries, insertEvents } from './enqueue-deliveries.js';
import { archiveMessages, countUnread, insertMessages, listMessages, markAllMessagesRead, markMessages } from './inbox-messages.js';
import { cancelDeliveries, listDeliveries } from './list-deliveries.js';
import { getEvent, markEventsFannedOut } from './notification-events.js';
import { type RowColumns, seedDeliveries, seedEvents, seedMessages } from './seeded-rows.fixture.js';
import { ackDeliveries, reapDeliveries, releaseClaims, renewClaims } from './settle-deliveries.js';
import { surveyDeliveries } from './survey-deliveries.js';

const NOW = 1_000_000;
const CLAIM = {
  nodeId: 'node',
  now: NOW,
  expiresAt: NOW + 5_000,
  token: 'token',
  fromSlot: 0,
  toSlot: 4_096,
  limit: 32,
  channels: '["inbox","email"]',
  c0: 'inbox',
  c1: 'email',
};
const MINE = { organizationId: 'o1', userId: 'u1' };
const PAGE = { limit: 50, afterAt: 5, afterId: 'x' };
const ALL = { read: undefined, topic: false, archived: false, after: false };
const json = (...rows: object[]) => JSON.stringify(rows);

/** A table's primary key, as either database names it. */
const key = (table: string) => [`sqlite_autoindex_${table}_1`, `${table}_pkey`];
const DELIVERY = key('notification_delivery');

/** Each hot statement, the indexes through which it may reach a table, and those that Postgres may combine with them. */
const PLANS: readonly [string, Statement, SqlParams, readonly string[], (readonly string[])?][] = [
  ['claim', claimDeliveries(2), CLAIM, ['notification_delivery_claim', ...DELIVERY]],
  [
    'claimDigest',
    claimDigests(2),
    { ...CLAIM, scan: 2_048 },
    ['notification_delivery_claim_digest', 'notification_delivery_digest', ...DELIVERY],
  ],
  [
    'survey',
    surveyDeliveries,
    { now: NOW, channels: CLAIM.channels },
    ['notification_delivery_claim', 'notification_delivery_claim_digest', 'notification_delivery_expiry'],
  ],
  ['pending channels', pendingChannels.singles, {}, ['notification_delivery_claim']],
  ['pending channels of digests', pendingChannels.digests, {}, ['notification_delivery_claim_digest']],
  ['reap', reapDeliveries, { now: NOW, attemptLimit: 6 }, ['notification_delivery_expiry']],
  [
    'ack',
    ackDeliveries,
    {
      now: NOW,
      acks: json({ id: 'flight1', token: 't1', status: 'success', uncounted: 0, due_at: null, external_id: null, error: null }),
    },
    DELIVERY,
  ],
  ['renew', renewClaims, { now: NOW, expiresAt: NOW, claims: json({ id: 'flight1', token: 't1' }) }, DELIVERY],
  ['release', releaseClaims, { now: NOW, claims: json({ id: 'flight1', token: 't1' }) }, DELIVERY],
  ['enqueue', insertDeliveries, { now: NOW, rows: '[]' }, []],
  [
    'enqueue, conflicts',
    findTargets,
    { targets: json({ place: 0, notification_id: 'n1', recipient_id: 'u1', channel: 'inbox' }) },
    ['notification_delivery_target'],
  ],
  ['events', insertEvents, { rows: '[]' }, []],
  [
    'events, conflicts',
    findDedupKeys,
    { keys: json({ place: 0, organization_id: 'o1', topic: 't', dedup_key: 'k1' }) },
    ['notification_dedup'],
  ],
  ['deliveries of events', insertEventDeliveries, { now: NOW, events: '[]' }, key('notification')],
  ['an event', getEvent, { id: 'n1', organizationId: 'o1' }, key('notification')],
  ['events fanned out', markEventsFannedOut, { ids: '["n1"]' }, key('notification')],
  [
    'deliveries of an organization',
    listDeliveries({ organization: true, notification: false, after: true, status: undefined }),
    { organizationId: 'o1', ...PAGE },
    ['notification_delivery_list'],
  ],
  [
    'dead deliveries of an organization',
    listDeliveries({ organization: true, notification: false, after: true, status: 'dead' }),
    { organizationId: 'o1', ...PAGE },
    ['notification_delivery_failed'],
  ],
  [
    'deliveries of an event',
    listDeliveries({ organization: true, notification: true, after: false, status: undefined }),
    { organizationId: 'o1', notificationId: 'nfuture1', limit: 50 },
    ['notification_delivery_target'],
    ['notification_delivery_list'],
  ],
  [
    'cancel an event’s',
    cancelDeliveries({ organization: true, delivery: false, notification: true, recipient: false }),
    { organizationId: 'o1', notificationId: 'nfuture1', now: NOW },
    ['notification_delivery_target'],
    ['notification_delivery_list'],
  ],
  [
    'cancel one',
    cancelDeliveries({ organization: true, delivery: true, notification: false, recipient: false }),
    { organizationId: 'o1', deliveryId: 'future1', now: NOW },
    DELIVERY,
  ],
  ['inbox insert', insertMessages, { rows: '[]' }, []],
  ['inbox unread', countUnread, MINE, ['inbox_message_unread']],
  ['inbox mark', markMessages, { ...MINE, ids: '["heavy1"]', state: 'read', below: '["delivered"]', now: NOW }, key('inbox_message')],
  ['inbox mark all', markAllMessagesRead, { ...MINE, now: NOW }, ['inbox_message_unread']],
  ['inbox archive', archiveMessages, { ...MINE, ids: '["heavy1"]', now: NOW }, key('inbox_message')],
  ['inbox list', listMessages(ALL), { ...MINE, limit: 50 }, ['inbox_message_list']],
  ['inbox list, unread', listMessages({ ...ALL, read: false, after: true }), { ...MINE, ...PAGE }, ['inbox_message_unread']],
  ['inbox list, read', listMessages({ ...ALL, read: true, after: true }), { ...MINE, ...PAGE }, ['inbox_message_read']],
  [
    'inbox list, filtered',
    listMessages({ read: true, topic: true, archived: true, after: true }),
    { ...MINE, ...PAGE, topic: 't' },
    ['inbox_message_archived'],
  ],
];

describe.each(['sqlite', 'libsql'] as const)('[plans] on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await testDatabase(name);
    store = await filledStore(database);
  });
  afterAll(() => database.drop());

  it.each(PLANS)('%s', async (_title, statement, params, indexes) => {
    const { searches, scans } = await sqlitePlan(store, statement, params);
    expect(scans).toEqual([]);
    expect(searches.filter((index) => !indexes.includes(index))).toEqual([]);
    if (indexes.length > 0) expect(searches).not.toEqual([]);
  });

  it('shows a scan for what it is (control)', async () => {
    const bare = select('SELECT id FROM notification_delivery WHERE error = :error');
    expect(await sqlitePlan(store, bare, { error: 'x' })).toEqual({ searches: [], scans: ['SCAN notification_delivery'] });
  });

  it('an event is read once, not again for each of its deliveries', async () => {
    expect(await explain(store, insertEventDeliveries, { now: NOW, events: '[]' })).toContain('MATERIALIZE e');
  });

  it('the count of unread messages reads its index alone', async () => {
    const [line] = await explain(store, countUnread, MINE);
    expect(line).toMatch(/USING COVERING INDEX inbox_message_unread/);
  });
});

describe('[plans] on postgres', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await testDatabase('postgres');
    store = await filledStore(database);
    await store.knex.raw('ANALYZE');
  });
  afterAll(() => database.drop());

  describe.each(['custom', 'generic'] as const)('%s plans', (mode) => {
    it.each(PLANS)('%s', async (_title, statement, params, indexes, combined = []) => {
      for (const { type, index, bounded } of await postgresPlan(store, statement, params, mode)) {
        expect(type).toMatch(/^(Index Scan|Index Only Scan|Bitmap Index Scan)$/);
        expect([...indexes, ...combined]).toContain(index);
        expect(bounded).toBe(true);
      }
    });

    it('shows a scan for what it is (control)', async () => {
      const bare = select('SELECT id FROM notification_delivery WHERE error = :error');
      expect(await postgresPlan(store, bare, { error: 'x' }, mode)).toEqual([{ type: 'Seq Scan', index: undefined, bounded: false }]);
    });
  });

  it('a claim of digests reads as many rows as it looks at, however many are due', async () => {
    const params = { ...CLAIM, limit: 4, scan: 256 };
    const statement = claimDigests(2);
    const read: number[] = [];
    const analyzed = store.transaction(async (trx) => {
      const analyze = select(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement.sql.postgres}`);
      const [row] = await store.read<{ 'QUERY PLAN': string }>(analyze, params, { trx });
      for (const node of nodesOf(JSON.parse(row?.['QUERY PLAN'] ?? '')[0].Plan)) {
        if (/claim_digest/.test(node['Index Name'] ?? '')) read.push((node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1));
      }
      throw new Error('looked at, not done');
    });
    await expect(analyzed).rejects.toThrow('looked at, not done');
    expect(read.length).toBeGreaterThan(0);
    // Two channels, one of them with 20 000 due rows.
    expect(Math.max(...read)).toBeLessThanOrEqual(2 * 256);
  });
});

function select(sql: string): Statement {
  return defineStatement({ label: 'plan', operation: 'select', table: 'notification_delivery', sql });
}

async function explain(store: Store, { sql }: Statement, params: SqlParams): Promise<string[]> {
  const lines = await store.read<{ detail: string }>(select(`EXPLAIN QUERY PLAN ${sql.sqlite}`), params);
  return lines.map(({ detail }) => detail);
}

/** What SQLite says it will do with the tables: the indexes it searches, and the tables it reads from end to end. */
async function sqlitePlan(store: Store, statement: Statement, params: SqlParams) {
  const lines = await explain(store, statement, params);
  const searches = lines.filter((line) => /^SEARCH /.test(line)).map((line) => /INDEX (\w+)/.exec(line)?.[1] ?? line);
  // Virtual tables are the JSON parameters; the others are intermediate results of a bounded number of rows.
  const scans = lines.filter((line) => /^SCAN (?!\(subquery-\d+\)|CONSTANT|hop$|due$|g$|p$|e$)/.test(line) && !/VIRTUAL TABLE/.test(line));
  return { searches, scans };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** How Postgres reaches the tables. A prepared statement may get either kind of plan: for these very values, or for any. */
async function postgresPlan(store: Store, { sql }: Statement, params: SqlParams, mode: 'custom' | 'generic') {
  const names: string[] = [];
  const text = sql.postgres.replace(/(?<!:):([a-zA-Z]\w*)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const values = names.map((name) => (typeof params[name] === 'number' ? params[name] : `'${params[name]}'`));
  const [row] = await store.transaction(async (trx) => {
    const run = async (statement: string) =>
      (await trx.raw(statement.replaceAll('?', '\\?'))).rows as { 'QUERY PLAN': [{ Plan: PlanNode }] }[];
    await run(`SET LOCAL plan_cache_mode = force_${mode}_plan`);
    await run(`PREPARE hot AS ${text}`);
    const plan = await run(`EXPLAIN (FORMAT JSON) EXECUTE hot${values.length > 0 ? `(${values.join(', ')})` : ''}`);
    await run('DEALLOCATE hot');
    return plan;
  });
  return nodesOf(row?.['QUERY PLAN'][0].Plan as PlanNode)
    .filter((node) => / Scan$/.test(node['Node Type']) && (node['Relation Name'] ?? node['Index Name']) !== undefined)
    .filter((node) => node['Node Type'] !== 'Bitmap Heap Scan')
    .map((node) => ({ type: node['Node Type'], index: node['Index Name'], bounded: node['Index Cond'] !== undefined }));
}

/** Some forty thousand deliveries of every kind that a statement must pass by, and inboxes light and heavy. */
async function filledStore(database: TestDatabase): Promise<Store> {
  const store = await database.open();
  await store.migrate(messagingMigrations);
  const deliveries = (prefix: string, count: number, columns: RowColumns) =>
    seedDeliveries(store, prefix, count, { due_at: `${NOW} + i`, payload: `'${'x'.repeat(200)}'`, ...columns });
  await deliveries('future', 10_000, { due_at: `${NOW + 100_000} + i` });
  await deliveries('foreign', 3_000, { channel: `'fax'`, due_at: `${NOW - 5_000} + i` });
  await deliveries('done', 6_000, { status: `'success'`, due_at: `${NOW - 9_000} + i` });
  await deliveries('flight', 200, { status: `'in_flight'`, claim_token: `'t' || i`, claim_expires_at: `${NOW - 50} + i` });
  await deliveries('due', 300, { due_at: `${NOW - 400} + i` });
  await deliveries('dead', 100, { status: `'dead'` });
  await deliveries('large', 1_000, { channel: `'email'`, due_at: `${NOW - 10}`, digest_key: `'large'`, organization_id: `'o1'` });
  await deliveries('morning', 20_000, { channel: `'email'`, due_at: `${NOW - 10}`, digest_key: `'m' || (i / 4)` });
  await deliveries('later', 500, { channel: `'email'`, digest_key: `'k' || (i / 3)` });
  await seedEvents(store, 'n', 5_000);
  await seedMessages(store, 'light', 20_000, { organization_id: `'o' || (i % 10)`, user_id: `'u' || (i % 100)` });
  await seedMessages(store, 'heavy', 2_000);
  return store;
}

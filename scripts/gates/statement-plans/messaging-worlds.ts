// The rows that messaging's statements must find, and the masses that they must pass by. What is wanted is older and due earlier than the mass,
// except where lying behind it is the adversity.
import type { Store } from '../../../packages/contracts/src/index.js';
import {
  type RowColumns,
  seedDeliveries,
  seedEvents,
  seedMessages,
} from '../../../packages/service-messaging/src/sql/seeded-rows.fixture.js';
import type { World } from './hot-statement.js';

export const NOW = 1_000_000;

/** Created before it: what is wanted. After it: the mass. Pages are newest first, so they meet the mass first. */
export const MASS_FROM = 100_000;

/** The size of everything that is wanted, where nothing else is said. */
export const BATCH = 32;

/** The token by which a digest group was closed before: 32 characters, as tokens are. */
const EARLIER = 'e'.repeat(32);

export async function wantedDeliveries(store: Store): Promise<void> {
  const wanted = (prefix: string, count: number, columns: RowColumns) =>
    seedDeliveries(store, prefix, count, { organization_id: `'o1'`, due_at: '1000 + i', ...columns });
  const held = { status: `'in_flight'`, claimed_by: `'node'`, claimed_at: '1', claim_token: `'t' || i` };
  await wanted('single', 64, {});
  // Four groups, of which the last was closed before: it is tried again.
  await wanted('digest', 16, {
    channel: `'email'`,
    digest_key: `'g' || (i / 4)`,
    digest_group: `CASE i / 4 WHEN 3 THEN '${EARLIER} o1 g3' END`,
    slot: 'i / 4',
  });
  await wanted('later', 16, { due_at: `${NOW + 50} + i` });
  await wanted('laterdigest', 16, { due_at: `${NOW + 50} + i`, channel: `'email'`, digest_key: `'l' || i` });
  await wanted('elsewhere', 1, { channel: `'fax'` });
  await wanted('held', 64, { ...held, claim_expires_at: `${NOW + 60_000} + i` });
  await wanted('expired', BATCH, { ...held, claim_expires_at: `${NOW - 1_000} + i` });
  for (const status of ['success', 'dead', 'suppressed', 'cancelled']) await wanted(status, 64, { status: `'${status}'` });
  await wanted('event', 2 * BATCH, {
    notification_id: `'event'`,
    status: `CASE WHEN i % 2 = 0 THEN 'pending' ELSE 'success' END`,
    due_at: `${NOW + 50}`,
  });
}

/** A world of deliveries: each of the organization o1, which the pages read, and newer than what is wanted. */
function deliveries(name: string, columns: RowColumns, also?: (store: Store, scale: number) => Promise<void>): World {
  return {
    name,
    table: 'notification_delivery',
    async seed(store, scale) {
      await seedDeliveries(store, 'mass', scale, {
        organization_id: `'o1'`,
        created_at: `${MASS_FROM} + i`,
        due_at: `${NOW - 500_000} + i`,
        ...columns,
      });
      await also?.(store, scale);
    },
  };
}

/** Due before anything that is wanted. */
const FIRST = { due_at: 'i % 1000' };
const LIVE = { ...FIRST, status: `'in_flight'`, claimed_by: `'other'`, claim_token: `'m' || i`, claim_expires_at: `${NOW + 5_000} + i` };
const FINISHED = {
  ...FIRST,
  status: `CASE i % 4 WHEN 0 THEN 'success' WHEN 1 THEN 'dead' WHEN 2 THEN 'suppressed' ELSE 'cancelled' END`,
};
const digest = (key: string) => ({ channel: `'email'`, digest_key: `'${key}'`, slot: '1' });
const CLOSED = { digest_group: `'${EARLIER} o1 mass'` };

export const ONE_EVENT = 'one event, delivered';
export const ONE_DIGEST_DUE = 'one digest due';

export const deliveryWorlds: readonly World[] = [
  deliveries('due later', { due_at: `${NOW + 100_000} + i` }),
  deliveries('due here', {}),
  deliveries('due at one time, in one slot', { due_at: `${NOW - 500_000}`, created_at: `${MASS_FROM}`, slot: '7' }),
  deliveries('due elsewhere', { ...FIRST, channel: `'fax'` }),
  deliveries('in flight', LIVE),
  // So few that a planner likes to read them all.
  deliveries('finished, few in flight', FINISHED, (store, scale) =>
    seedDeliveries(store, 'flight', scale / 100, { ...LIVE, organization_id: `'o1'`, created_at: `${MASS_FROM} + i` }),
  ),
  deliveries(ONE_EVENT, { ...FIRST, notification_id: `'event'`, recipient_id: `'m' || i`, status: `'success'` }),
  deliveries('many digests due', { channel: `'email'`, digest_key: `'m' || (i / 4)`, slot: '(i / 4) % 4096' }),
  deliveries(ONE_DIGEST_DUE, digest('giant')),
  deliveries('one digest gathering', { ...digest('g3'), due_at: `${NOW + 100_000}` }),
  deliveries('one digest in flight', { ...LIVE, ...digest('g1'), ...CLOSED }),
  deliveries('one digest finished', { ...FINISHED, ...digest('g1'), ...CLOSED }),
];

export async function wantedEvents(store: Store): Promise<void> {
  await seedEvents(store, 'event', BATCH, { organization_id: `'o1'` });
}

export const eventWorlds: readonly World[] = [
  {
    name: 'events of one topic',
    table: 'notification',
    seed: (store, scale) =>
      seedEvents(store, 'mass', scale, { organization_id: `'o1'`, dedup_key: `'m' || i`, created_at: `${MASS_FROM} + i` }),
  },
];

export async function wantedMessages(store: Store): Promise<void> {
  for (const [prefix, columns] of [
    ['unread', { state: `'delivered'` }],
    ['read', { state: `'read'` }],
    ['oldunread', { state: `'delivered'`, archived_at: '1' }],
    ['oldread', { state: `'read'`, archived_at: '1' }],
  ] as const)
    await seedMessages(store, prefix, 64, columns);
}

/** A world of messages: all in the inbox of o1 and u1, and newer than what is wanted. */
function messages(name: string, columns: RowColumns): World {
  return {
    name,
    table: 'inbox_message',
    seed: (store, scale) => seedMessages(store, 'mass', scale, { created_at: `${MASS_FROM} + i`, ...columns }),
  };
}

export const ALL_UNREAD = 'inbox all unread';
export const ALL_ARCHIVED = 'inbox all archived';
export const OTHER_TOPIC = 'inbox all read, of another topic';

export const inboxWorlds: readonly World[] = [
  messages(OTHER_TOPIC, { state: `'read'`, topic: `'other'` }),
  messages('inbox all read, at one time', { state: `'read'`, created_at: `${MASS_FROM}` }),
  messages(ALL_UNREAD, { state: `'delivered'` }),
  messages(ALL_ARCHIVED, { state: `'read'`, archived_at: '1' }),
  messages('inboxes of others', { user_id: `'m' || i` }),
];

// The hot statements of service-messaging, and why the others are none.
import type { DeliveryStatus, SqlParams } from '../../../packages/contracts/src/index.js';
import { messagingMigrations } from '../../../packages/service-messaging/src/migrations/messaging-migrations.js';
import { claimDeliveries, claimDigests, pendingChannels } from '../../../packages/service-messaging/src/sql/claim-deliveries.js';
import {
  findDedupKeys,
  findTargets,
  insertDeliveries,
  insertEventDeliveries,
  insertEvents,
} from '../../../packages/service-messaging/src/sql/enqueue-deliveries.js';
import {
  archiveMessages,
  countUnread,
  insertMessages,
  listMessages,
  markAllMessagesRead,
  markMessages,
} from '../../../packages/service-messaging/src/sql/inbox-messages.js';
import { cancelDeliveries, listDeliveries } from '../../../packages/service-messaging/src/sql/list-deliveries.js';
import { getEvent, markEventsFannedOut } from '../../../packages/service-messaging/src/sql/notification-events.js';
import {
  ackDeliveries,
  reapDeliveries,
  releaseClaims,
  renewClaims,
} from '../../../packages/service-messaging/src/sql/settle-deliveries.js';
import { surveyDeliveries } from '../../../packages/service-messaging/src/sql/survey-deliveries.js';
import type { HotStatement, OwnLimit, PluginStatements } from './hot-statement.js';
import {
  ALL_ARCHIVED,
  ALL_UNREAD,
  BATCH,
  deliveryWorlds,
  eventWorlds,
  inboxWorlds,
  MASS_FROM,
  NOW,
  ONE_DIGEST_DUE,
  ONE_EVENT,
  OTHER_TOPIC,
  wantedDeliveries,
  wantedEvents,
  wantedMessages,
} from './messaging-worlds.js';

const SQL = 'packages/service-messaging/src/sql';

const json = (value: unknown) => JSON.stringify(value);
const batch = <T>(make: (index: number) => T) => json(Array.from({ length: BATCH }, (_, index) => make(index)));

/** What a statement must look at, one row after the other: as many as there are. */
const everyRow = (reason: string, worlds?: readonly string[]): OwnLimit => ({
  reason,
  ...(worlds ? { worlds } : {}),
  rows: ({ scale, returned }) => 10 * returned + 3 * scale,
  growth: 100,
});

const CLAIM: SqlParams = {
  nodeId: 'node',
  now: NOW,
  expiresAt: NOW + 5_000,
  token: 'token',
  fromSlot: 0,
  toSlot: 4_096,
  limit: BATCH,
  channels: json(['inbox', 'email']),
  c0: 'inbox',
  c1: 'email',
};

const claims: readonly HotStatement[] = [
  {
    definition: `${SQL}/survey-deliveries.ts#surveyDeliveries`,
    title: 'survey',
    statement: surveyDeliveries,
    params: { now: NOW, channels: CLAIM.channels! },
    returns: 1,
  },
  {
    definition: `${SQL}/claim-deliveries.ts#claimDeliveries`,
    title: 'claim',
    statement: claimDeliveries(2),
    params: CLAIM,
    returns: BATCH,
  },
  {
    definition: `${SQL}/claim-deliveries.ts#claimDeliveries`,
    title: 'claim, one partition of 8',
    statement: claimDeliveries(2),
    params: { ...CLAIM, toSlot: 512 },
    returns: BATCH,
  },
  {
    definition: `${SQL}/claim-deliveries.ts#claimDigests`,
    title: 'claim digests',
    statement: claimDigests(2),
    params: { ...CLAIM, limit: 4, scan: 256 },
    returns: 16,
    own: {
      reason: 'groups are found among 64 due rows for each that is wanted, of all channels together',
      rows: ({ returned }) => 10 * returned + 100 + 2 * 256,
      // Each of them looks up whether more of its group is in flight.
      pages: ({ returned }) => 10 * returned + 100 + 5 * 256,
    },
  },
  {
    definition: `${SQL}/claim-deliveries.ts#claimDigests`,
    title: 'claim digests, a giant among them',
    statement: claimDigests(2),
    params: { ...CLAIM, limit: 5, scan: 320 },
    returns: (scale) => 16 + scale,
    worlds: [ONE_DIGEST_DUE],
    own: everyRow('a group is claimed whole, however large it is'),
  },
  {
    definition: `${SQL}/claim-deliveries.ts#hopAlong`,
    title: 'pending channels',
    statement: pendingChannels.singles,
    params: {},
    returns: 3,
  },
  {
    definition: `${SQL}/claim-deliveries.ts#hopAlong`,
    title: 'pending channels, digests',
    statement: pendingChannels.digests,
    params: {},
    returns: 1,
  },
  {
    definition: `${SQL}/settle-deliveries.ts#reapDeliveries`,
    title: 'reap',
    statement: reapDeliveries,
    params: { now: NOW, attemptLimit: 6 },
    returns: BATCH,
  },
];

const held = batch((i) => ({ id: `held${i}`, token: `t${i}` }));
const settles: readonly HotStatement[] = [
  {
    definition: `${SQL}/settle-deliveries.ts#ackDeliveries`,
    title: 'ack',
    statement: ackDeliveries,
    params: {
      now: NOW,
      acks: batch((i) => ({
        id: `held${i}`,
        token: `t${i}`,
        status: 'success',
        uncounted: 0,
        due_at: null,
        external_id: null,
        error: null,
      })),
    },
    returns: BATCH,
  },
  {
    definition: `${SQL}/settle-deliveries.ts#ackDeliveries`,
    title: 'ack of one',
    statement: ackDeliveries,
    params: {
      now: NOW,
      acks: json([{ id: 'held1', token: 't1', status: 'pending', uncounted: 0, due_at: NOW + 1_000, external_id: null, error: 'x' }]),
    },
    returns: 1,
  },
  {
    definition: `${SQL}/settle-deliveries.ts#renewClaims`,
    title: 'renew',
    statement: renewClaims,
    params: { now: NOW, expiresAt: NOW + 10_000, claims: held },
    returns: BATCH,
  },
  {
    definition: `${SQL}/settle-deliveries.ts#releaseClaims`,
    title: 'release',
    statement: releaseClaims,
    params: { now: NOW, claims: held },
    returns: BATCH,
  },
];

const enqueues: readonly HotStatement[] = [
  {
    definition: `${SQL}/enqueue-deliveries.ts#insertDeliveries`,
    title: 'enqueue',
    statement: insertDeliveries,
    params: {
      now: NOW,
      rows: batch((i) => ({
        id: `new${i}`,
        organization_id: 'o1',
        notification_id: 'event',
        recipient_id: `new${i}`,
        channel: 'inbox',
        topic: 't',
        payload: '{}',
        due_at: NOW,
        digest_key: null,
        slot: i,
      })),
    },
    returns: BATCH,
  },
  {
    definition: `${SQL}/enqueue-deliveries.ts#findTargets`,
    title: 'enqueue, ids',
    statement: findTargets,
    params: { targets: batch((i) => ({ place: i, notification_id: 'event', recipient_id: `u${2 * i}`, channel: 'inbox' })) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/enqueue-deliveries.ts#insertEvents`,
    title: 'events',
    statement: insertEvents,
    params: {
      rows: batch((i) => ({
        id: `new${i}`,
        organization_id: 'o1',
        topic: 't',
        payload: '{}',
        severity: 'info',
        dedup_key: `new${i}`,
        source_type: null,
        source_id: null,
        actor_id: null,
        suppressed: '[]',
        fanned_out: 1,
        created_at: NOW,
      })),
    },
    returns: BATCH,
  },
  {
    definition: `${SQL}/enqueue-deliveries.ts#findDedupKeys`,
    title: 'events, dedup',
    statement: findDedupKeys,
    params: { keys: batch((i) => ({ place: i, organization_id: 'o1', topic: 't', dedup_key: `k${i}` })) },
    returns: BATCH,
  },
  ...['notification', 'notification_delivery'].map((full) => ({
    definition: `${SQL}/enqueue-deliveries.ts#insertEventDeliveries`,
    title: `deliveries of events, ${full} full`,
    statement: insertEventDeliveries,
    params: {
      now: NOW,
      events: json(
        [1, 2].map((event) => ({
          id: `event${event}`,
          organization_id: 'o1',
          topic: 't',
          payload: '{}',
          deliveries: Array.from({ length: BATCH / 2 }, (_, i) => ({
            id: `new${event}-${i}`,
            recipient_id: `new${i}`,
            channel: 'inbox',
            due_at: NOW,
            digest_key: null,
            slot: i,
          })),
        })),
      ),
    },
    returns: BATCH,
    worlds: [...deliveryWorlds, ...eventWorlds].filter(({ table }) => table === full).map(({ name }) => name),
  })),
];

const events: readonly HotStatement[] = [
  {
    definition: `${SQL}/notification-events.ts#getEvent`,
    title: 'an event',
    statement: getEvent,
    params: { id: 'event1', organizationId: 'o1' },
    returns: 1,
  },
  {
    definition: `${SQL}/notification-events.ts#markEventsFannedOut`,
    title: 'events fanned out',
    statement: markEventsFannedOut,
    params: { ids: batch((i) => `event${i}`) },
    returns: BATCH,
  },
];

const PAGE = 51;
const AFTER = { afterAt: MASS_FROM, afterId: '' };

const UNINDEXED: readonly (DeliveryStatus | undefined)[] = ['pending', 'in_flight', 'success'];
const OPERATORS = everyRow(
  'asked by an operator, who gets a page by walking his organization newest first; an index over these statuses would cost each claim and each ack two writes more',
);

const STATUSES: readonly (DeliveryStatus | undefined)[] = [undefined, 'pending', 'in_flight', 'success', 'dead', 'suppressed', 'cancelled'];
const lists: readonly HotStatement[] = [
  ...STATUSES.flatMap((status) =>
    [false, true].map((after) => ({
      definition: `${SQL}/list-deliveries.ts#listDeliveries`,
      title: `deliveries${status ? `, ${status}` : ''}${after ? ', next page' : ''}`,
      statement: listDeliveries({ organization: true, notification: false, after, status }),
      params: { organizationId: 'o1', limit: PAGE, ...AFTER },
      returns: PAGE,
      ...(UNINDEXED.includes(status) ? { own: OPERATORS } : {}),
    })),
  ),
  {
    definition: `${SQL}/list-deliveries.ts#listDeliveries`,
    title: 'deliveries of an event',
    statement: listDeliveries({ organization: true, notification: true, after: false, status: undefined }),
    params: { organizationId: 'o1', notificationId: 'event', limit: PAGE },
    returns: PAGE,
    own: everyRow('the deliveries of one event, as many as it had recipients, are sorted for their page', [ONE_EVENT]),
  },
  {
    definition: `${SQL}/list-deliveries.ts#cancelDeliveries`,
    title: 'cancel one',
    statement: cancelDeliveries({ organization: true, delivery: true, notification: false, recipient: false }),
    params: { now: NOW, organizationId: 'o1', deliveryId: 'later1' },
    returns: 1,
  },
  {
    definition: `${SQL}/list-deliveries.ts#cancelDeliveries`,
    title: 'cancel an event’s',
    statement: cancelDeliveries({ organization: true, delivery: false, notification: true, recipient: false }),
    params: { now: NOW, organizationId: 'o1', notificationId: 'event' },
    returns: BATCH,
    own: everyRow('the deliveries of one event, as many as it had recipients, are looked through for those that wait', [ONE_EVENT]),
  },
  {
    definition: `${SQL}/list-deliveries.ts#cancelDeliveries`,
    title: 'cancel a recipient’s of an event',
    statement: cancelDeliveries({ organization: true, delivery: false, notification: true, recipient: true }),
    params: { now: NOW, organizationId: 'o1', notificationId: 'event', recipientId: 'u0' },
    returns: 1,
  },
];

const FILTERED = everyRow('one inbox is walked newest first until the page is full of what the filter lets through', [
  ALL_ARCHIVED,
  OTHER_TOPIC,
]);
const MINE = { organizationId: 'o1', userId: 'u1' };
const inbox: readonly HotStatement[] = [
  {
    definition: `${SQL}/inbox-messages.ts#insertMessages`,
    title: 'inbox insert',
    statement: insertMessages,
    params: {
      rows: batch((i) => ({
        id: `new${i}`,
        organization_id: 'o1',
        user_id: 'u1',
        notification_id: `new${i}`,
        topic: 't',
        title: 't',
        body: 'b',
        severity: 'info',
        action_url: null,
        created_at: NOW,
      })),
    },
    returns: BATCH,
  },
  {
    definition: `${SQL}/inbox-messages.ts#countUnread`,
    title: 'inbox count of unread',
    statement: countUnread,
    params: MINE,
    returns: 1,
    own: everyRow('it counts the unread messages of one inbox, by their index', [ALL_UNREAD]),
  },
  {
    definition: `${SQL}/inbox-messages.ts#markMessages`,
    title: 'inbox mark',
    statement: markMessages,
    params: { ...MINE, now: NOW, ids: batch((i) => `unread${i}`), state: 'read', below: json(['delivered']) },
    returns: BATCH,
  },
  {
    definition: `${SQL}/inbox-messages.ts#markAllMessagesRead`,
    title: 'inbox mark all',
    statement: markAllMessagesRead,
    params: { ...MINE, now: NOW },
    returns: 64,
    worlds: inboxWorlds.map(({ name }) => name).filter((name) => name !== ALL_UNREAD),
  },
  {
    definition: `${SQL}/inbox-messages.ts#markAllMessagesRead`,
    title: 'inbox mark all, all unread',
    statement: markAllMessagesRead,
    params: { ...MINE, now: NOW },
    returns: (scale) => 64 + scale,
    worlds: [ALL_UNREAD],
    own: everyRow('it marks what is unread, and that is everything'),
  },
  {
    definition: `${SQL}/inbox-messages.ts#archiveMessages`,
    title: 'inbox archive',
    statement: archiveMessages,
    params: { ...MINE, now: NOW, ids: batch((i) => `read${i}`) },
    returns: BATCH,
  },
  ...[undefined, false, true].flatMap((read) =>
    [false, true].flatMap((topic) =>
      [false, true].flatMap((archived) =>
        [false, true].map((after) => ({
          definition: `${SQL}/inbox-messages.ts#listMessages`,
          title: [
            'inbox',
            ...(read === undefined ? [] : [read ? 'read' : 'unread']),
            ...(topic ? ['topic'] : []),
            ...(archived ? ['archived'] : []),
            ...(after ? ['next page'] : []),
          ].join(', '),
          statement: listMessages({ read, topic, archived, after }),
          params: { ...MINE, ...AFTER, topic: 't', limit: PAGE },
          returns: PAGE,
          ...(topic || (archived && read === false) ? { own: FILTERED } : {}),
        })),
      ),
    ),
  ),
];

export const messaging: PluginStatements = {
  file: 'scripts/gates/statement-plans/messaging.ts',
  migrations: [messagingMigrations],
  async wanted(store) {
    await wantedDeliveries(store);
    await wantedEvents(store);
    await wantedMessages(store);
  },
  worlds: [...deliveryWorlds, ...eventWorlds, ...inboxWorlds],
  hot: [...claims, ...settles, ...enqueues, ...events, ...lists, ...inbox],
  cold: [],
};

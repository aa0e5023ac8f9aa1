// The rows that the board's statements must find, and the masses that they must pass by. What is wanted stands before the mass in each order,
// except where lying behind it is the adversity.
import type { Store } from '../../../packages/contracts/src/index.js';
import { type RowColumns, seedRows } from '../../../packages/service-messaging/src/sql/seeded-rows.fixture.js';
import type { World } from './hot-statement.js';

export const NOW = 1_000_000_000;

/** The size of everything that is wanted, where nothing else is said. */
export const BATCH = 32;

/** Pending and created: what is wanted from 1000 on, the mass from here on, and long enough ago for each ring. */
const MASS_FROM = NOW - 100_000_000;
/** Before what is wanted. */
const IN_FRONT = { created_at: 'i % 900', pending_since: 'i % 900' };

const ORGANIZATION = { organization_id: `'o1'` };

export const endpoints = (store: Store, prefix: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'board_endpoint', count, {
    id: `'${prefix}' || i`,
    ...ORGANIZATION,
    slug: `'${prefix}' || i`,
    credential_hash: `'${prefix}' || i`,
    credential_prefix: `'sbk_'`,
    queues: `'["work","other","more"]'`,
    verbs: `'["claim"]'`,
    state: `'active'`,
    created_at: 'i',
    ...columns,
  });

/** Todos of the endpoint `ep0`, pending in its queue `work`, unless `columns` say otherwise. */
export const todos = (store: Store, prefix: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'board_todo', count, {
    id: `'${prefix}' || i`,
    ...ORGANIZATION,
    endpoint_id: `'ep0'`,
    queue: `'work'`,
    state: `'pending'`,
    gate: '1',
    moved_by: `'${prefix}-' || i`,
    source: `'operator'`,
    title: `'title'`,
    attempt: '0',
    max_attempts: '5',
    attempts_total: '0',
    ring_attempts: '0',
    created_at: '1000 + i',
    pending_since: '1000 + i',
    updated_at: `${NOW - 1_000}`,
    payload: `'{}'`,
    ...columns,
  });

/** The first attempt of each, open, unless `columns` say otherwise. */
const attempts = (store: Store, prefix: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'board_attempt', count, {
    todo_id: `'${prefix}' || i`,
    seq: '1',
    ...ORGANIZATION,
    endpoint_id: `'ep0'`,
    queue: `'work'`,
    claimant: `'me'`,
    claimed_at: `${NOW - 60_000}`,
    lease_until: `${NOW + 600_000} + i`,
    ...columns,
  });

const events = (store: Store, prefix: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'board_event', count, {
    id: `'${prefix}' || i`,
    ...ORGANIZATION,
    endpoint_id: `'ep0'`,
    source: `'github'`,
    webhook_id: `'wh1'`,
    external_id: `'${prefix}' || i`,
    verified: '1',
    created_at: '1 + i',
    payload: `'{}'`,
    ...columns,
  });

const webhooks = (store: Store, prefix: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'board_webhook', count, {
    id: `'${prefix}' || i`,
    ...ORGANIZATION,
    endpoint_id: `'ep0'`,
    token_hash: `'${prefix}' || i`,
    source: `'github'`,
    targets: `'[]'`,
    created_at: 'i',
    ...columns,
  });

export const hooks = (store: Store, prefix: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'board_notify_hook', count, {
    id: `'${prefix}' || i`,
    ...ORGANIZATION,
    endpoint_id: `'ep0'`,
    url: `'https://example.org/'`,
    secret: `'sealed'`,
    queues: `'[]'`,
    enabled: '1',
    failures: '0',
    opened_at: '1',
    created_at: 'i',
    ...columns,
  });

const CLAIMED = {
  state: `'claimed'`,
  claimant: `'me'`,
  fence_hash: `'f'`,
  attempt: '1',
  attempts_total: '1',
  claimed_at: `${NOW - 60_000}`,
  lease_until: `${NOW + 600_000} + i`,
};
const PARKED = { state: `'failed'`, attempt: '1', attempts_total: '1', completed_at: 'NULL' };
const DONE = { state: `'done'`, attempt: '1', attempts_total: '1', completed_at: '1 + i' };
const ENDED = { ended_at: '2 + i', outcome: `'completed'`, disposition: `'done'` };

export async function wantedOnBoard(store: Store): Promise<void> {
  await endpoints(store, 'ep', 4);
  await endpoints(store, 'expired', BATCH, { expires_at: '1 + i' });
  // So many rows of each table that Postgres, too, looks them up.
  await endpoints(store, 'filler', 1_000, { state: `'revoked'`, revoked_at: '1' });
  await todos(store, 'filler', 2_000, { ...DONE, endpoint_id: `'filler' || (i / 2)` });
  await attempts(store, 'filler', 2_000, { ...ENDED, endpoint_id: `'filler' || (i / 2)` });
  await events(store, 'filler', 1_000, { endpoint_id: `'filler' || i`, created_at: `${NOW - 1_000}` });
  await webhooks(store, 'filler', 1_000, { endpoint_id: `'filler' || i` });
  await hooks(store, 'filler', 1_000, { endpoint_id: `'filler' || i` });
  await endpoints(store, 'gone', 1, { state: `'revoked'`, revoked_at: '1' });
  await todos(store, 'todo', 64);
  await todos(store, 'mine', 8, { assignee: `'me'` });
  await todos(store, 'held', BATCH, CLAIMED);
  await attempts(store, 'held', BATCH);
  await todos(store, 'lapsed', BATCH, { ...CLAIMED, lease_until: '1000 + i' });
  await attempts(store, 'lapsed', BATCH, { lease_until: '1000 + i' });
  await todos(store, 'due', BATCH, { ...PARKED, next_retry_at: '1000 + i' });
  await todos(store, 'old', BATCH, { ...DONE, updated_at: '1 + i' });
  await attempts(store, 'old', BATCH, ENDED);
  await attempts(store, 'old', BATCH, { ...ENDED, seq: '2' });
  await todos(store, 'letter', BATCH, { ...PARKED, completed_at: '1', updated_at: '900 + i' });
  await todos(store, 'key', BATCH, { idempotency_key: `'k' || i`, live_key: `'k' || i` });
  await todos(store, 'event', BATCH, { event_id: `'event' || i`, ...DONE });
  await events(store, 'event', BATCH);
  // Those before them are named by todos: a sweep goes past these to the ones that nobody names.
  await events(store, 'alone', BATCH, { created_at: '100 + i' });
  await todos(store, 'quarantined', BATCH, { queue: `'quarantine'`, created_at: '1 + i' });
  // What the first step of a batch has just moved, for the steps after it.
  await todos(store, 'reaped', BATCH, { moved_by: `'swept-now'` });
  await attempts(store, 'reaped', BATCH, { lease_until: '500 + i' });
  await todos(store, 'settled', 1, { ...DONE, moved_by: `'settling'`, completed_at: '1' });
  await attempts(store, 'settled', 1);
  await todos(store, 'extended', 1, { ...CLAIMED, moved_by: `'extending'` });
  await attempts(store, 'extended', 1);
  await todos(store, 'taken', 1, { ...CLAIMED, moved_by: `'taking'`, attempts_total: '2' });
  await attempts(store, 'taken', 1);
  await todos(store, 'ended', BATCH, { endpoint_id: `'gone0'`, ...PARKED, moved_by: `'swept-revoking'` });
  await attempts(store, 'ended', BATCH, { endpoint_id: `'gone0'` });
  await todos(store, 'left', BATCH, { endpoint_id: `'gone0'`, state: `CASE WHEN i % 2 = 0 THEN 'pending' ELSE 'claimed' END` });
  await todos(store, 'long', 1, { attempts_total: '64' });
  await attempts(store, 'long', 64, { todo_id: `'long0'`, seq: 'i + 1', ...ENDED });
  await webhooks(store, 'token', 4);
  await hooks(store, 'hook', 4);
  await hooks(store, 'rotated', BATCH, { endpoint_id: `'ep1'`, previous_secret: `'sealed'`, previous_until: '1 + i' });
}

/** A world of todos: in the endpoint and the queue of most of what is wanted, and behind it, unless `columns` say otherwise. */
function ofTodos(name: string, columns: RowColumns, also?: (store: Store, scale: number) => Promise<void>): World {
  return {
    name,
    table: 'board_todo',
    async seed(store, scale) {
      // Before the todos of theirs.
      if ('endpoint_id' in columns) await endpoints(store, 'mass', scale / 10);
      await todos(store, 'mass', scale, { created_at: `${MASS_FROM} + i`, pending_since: `${MASS_FROM} + i`, ...columns });
      await also?.(store, scale);
    },
  };
}

const massAttempts = (columns: RowColumns) => (store: Store, scale: number) => attempts(store, 'mass', scale, columns);
const LAPSED_LATER = { ...CLAIMED, lease_until: `${NOW - 200_000} + i` };

export const LIVE_LEASES = 'todos claimed, their leases live';
const LAPSED_OF_OTHERS = 'todos whose leases lapsed, assigned to others, in front';
const USED_UP = 'todos whose leases lapsed, their attempts used up, in front';
const DUE_OF_OTHERS = 'todos whose retries are due, assigned to others, in front';
export const RUNG = 'todos rung, the next ring not due, in front';
/** No door stores such a todo, for an endpoint's scope is fixed and checked. */
export const OUT_OF_SCOPE = 'todos pending out of scope, in front';
export const OTHER_QUEUE = 'todos pending in another queue, in front';
export const OF_MANY_ENDPOINTS = 'todos of many endpoints';
const FRESH = 'todos pending for a minute';

/** Todos that were rung and wait for the next ring, among so many: three a sweep, one a half minute, are no more in six hours. */
export const rungOf = (scale: number) => scale / 50;

export const todoWorlds: readonly World[] = [
  ofTodos('todos done', { ...DONE, ...IN_FRONT, completed_at: `${NOW - 1_000}` }, massAttempts(ENDED)),
  ofTodos('todos done at one time', { ...DONE, ...IN_FRONT, completed_at: `${NOW}`, updated_at: `${NOW}` }),
  ofTodos('todos dead', { ...PARKED, ...IN_FRONT, completed_at: `${NOW - 1_000}` }, massAttempts({ ...ENDED, outcome: `'failed'` })),
  ofTodos('todos pending in a queue', {}),
  ofTodos('todos pending at one time', { created_at: `${MASS_FROM}`, pending_since: `${MASS_FROM}` }),
  ofTodos(OTHER_QUEUE, { ...IN_FRONT, queue: `'other'` }),
  ofTodos(OUT_OF_SCOPE, { ...IN_FRONT, queue: `'q' || (i % 100)` }),
  ofTodos('todos in quarantine', { queue: `'quarantine'`, pending_since: 'i % 900' }),
  ofTodos('todos assigned to others, in front', { ...IN_FRONT, assignee: `'x' || (i % 1000)` }),
  ofTodos('todos that may wake nobody, in front', { ...IN_FRONT, gate: '0' }),
  ofTodos(OF_MANY_ENDPOINTS, { ...IN_FRONT, endpoint_id: `'mass' || (i / 10)` }),
  ofTodos('todos whose idempotency keys are held', { idempotency_key: `'m' || i`, live_key: `'m' || i` }),
  ofTodos('todos of events', { event_id: `'m' || i` }),
  ofTodos(LIVE_LEASES, { ...CLAIMED, ...IN_FRONT }, massAttempts({})),
  ofTodos(
    'todos claimed, of many endpoints',
    { ...CLAIMED, endpoint_id: `'mass' || (i / 10)` },
    massAttempts({ endpoint_id: `'mass' || (i / 10)` }),
  ),
  ofTodos('todos whose leases lapsed', LAPSED_LATER, massAttempts({ lease_until: `${NOW - 200_000} + i` })),
  ofTodos(LAPSED_OF_OTHERS, { ...LAPSED_LATER, lease_until: 'i % 900', assignee: `'x' || (i % 1000)` }),
  ofTodos(USED_UP, { ...LAPSED_LATER, lease_until: 'i % 900', attempt: '5' }),
  ofTodos('todos parked', { ...PARKED, ...IN_FRONT, next_retry_at: `${NOW + 1} + i` }),
  ofTodos('todos whose retries are due', { ...PARKED, ...IN_FRONT, next_retry_at: `${NOW - 200_000} + i` }),
  ofTodos(DUE_OF_OTHERS, { ...PARKED, ...IN_FRONT, next_retry_at: 'i % 900', assignee: `'x' || (i % 1000)` }),
  ofTodos('todos rung out, in front', { ...IN_FRONT, ring_attempts: '5', last_ringed_at: '1' }),
  ofTodos(FRESH, { created_at: `${NOW - 60_000}`, pending_since: `${NOW - 60_000} + i % 60000` }),
  ofTodos(RUNG, {}, (store, scale) =>
    todos(store, 'rung', rungOf(scale), { ...IN_FRONT, ring_attempts: '4', last_ringed_at: `${NOW - 3_600_000} + i` }),
  ),
];

export const NOTHING_CLAIMABLE = 'todos in a queue that holds none for the claimant';
/** A world for who asks that queue: what may be claimed elsewhere would answer before its last arms are read. */
const nothingClaimable = ofTodos(NOTHING_CLAIMABLE, {
  ...IN_FRONT,
  queue: `'more'`,
  assignee: `'x' || (i % 1000)`,
  state: `CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'claimed' ELSE 'failed' END`,
  attempt: '1',
  attempts_total: '1',
  lease_until: `CASE i % 3 WHEN 1 THEN i % 900 END`,
  next_retry_at: `CASE i % 3 WHEN 2 THEN i % 900 END`,
});

const ofTable = (table: string, name: string, seed: (store: Store, scale: number) => Promise<void>): World => ({ name, table, seed });

export const RELEASED = 'attempts that gave back what they claimed';

export const attemptWorlds: readonly World[] = [
  ofTable('board_attempt', 'attempts of todos with fifty each', async (store, scale) => {
    await todos(store, 'mass', scale / 50, { ...DONE, completed_at: `${NOW - 1_000}` });
    await attempts(store, 'mass', scale, { todo_id: `'mass' || (i / 50)`, seq: '1 + i % 50', ...ENDED });
  }),
  ofTable('board_attempt', RELEASED, async (store, scale) => {
    await todos(store, 'mass', scale / 50, { ...DONE, completed_at: `${NOW - 1_000}` });
    await attempts(store, 'mass', scale, {
      todo_id: `'mass' || (i / 50)`,
      seq: '1 + i % 50',
      ...ENDED,
      claimed_at: `${NOW - 50_000} + i % 50000`,
      outcome: `'released'`,
      disposition: `'requeued'`,
    });
  }),
];

export const endpointWorlds: readonly World[] = [
  ofTable('board_endpoint', 'endpoints without an end', (store, scale) => endpoints(store, 'mass', scale)),
  ofTable('board_endpoint', 'endpoints that expire later', (store, scale) =>
    endpoints(store, 'mass', scale, { expires_at: `${NOW + 1} + i` }),
  ),
  ofTable('board_endpoint', 'endpoints that expired', (store, scale) =>
    endpoints(store, 'mass', scale, { expires_at: `${NOW - 200_000} + i` }),
  ),
  ofTable('board_endpoint', 'endpoints revoked', (store, scale) =>
    endpoints(store, 'mass', scale, { state: `'revoked'`, expires_at: 'i % 900', revoked_at: '1' }),
  ),
];

export const eventWorlds: readonly World[] = [
  ofTable('board_event', 'events of a webhook', (store, scale) => events(store, 'mass', scale, { created_at: `${NOW - 200_000} + i` })),
  ofTable('board_event', 'events without ids of their own', (store, scale) =>
    events(store, 'mass', scale, { external_id: 'NULL', created_at: `${NOW - 1_000}` }),
  ),
];

export const webhookWorlds: readonly World[] = [
  ofTable('board_webhook', 'webhooks of many endpoints', async (store, scale) => {
    await endpoints(store, 'mass', scale / 10);
    await webhooks(store, 'mass', scale, { endpoint_id: `'mass' || (i / 10)` });
  }),
];

export const hookWorlds: readonly World[] = [
  ofTable('board_notify_hook', 'notify hooks of many endpoints', async (store, scale) => {
    await endpoints(store, 'mass', scale / 5);
    await hooks(store, 'mass', scale, { endpoint_id: `'mass' || (i / 5)` });
  }),
  ofTable('board_notify_hook', 'notify hooks whose secrets are new', async (store, scale) => {
    await endpoints(store, 'mass', scale / 5);
    await hooks(store, 'mass', scale, {
      endpoint_id: `'mass' || (i / 5)`,
      previous_secret: `'sealed'`,
      previous_until: `${NOW + 1} + i`,
    });
  }),
];

export const boardWorlds: readonly World[] = [
  ...todoWorlds,
  nothingClaimable,
  ...attemptWorlds,
  ...endpointWorlds,
  ...eventWorlds,
  ...webhookWorlds,
  ...hookWorlds,
];

export const namesOf = (...worlds: readonly (readonly World[])[]) => worlds.flat().map(({ name }) => name);

// The hot statements of switchboard, and why the others are none.
import type { SqlParams, Statement } from '../../../packages/contracts/src/index.js';
import { defineStatement } from '../../../packages/store/src/define-statement.js';
import { boardDuties } from '../../../packages/switchboard/src/duties/board-duties.js';
import { boardMigrations } from '../../../packages/switchboard/src/migrations/board-migrations.js';
import {
  claimNextTodo,
  claimTodo,
  closeLapsedAttempt,
  dropOldAttempts,
  findClaimable,
  openAttempt,
  TIMES_AGAIN,
} from '../../../packages/switchboard/src/sql/claim-todos.js';
import {
  chargeAttachRings,
  chargeHeartbeat,
  findDueRing,
  findLiveEndpoints,
  readPending,
} from '../../../packages/switchboard/src/sql/doorbell.js';
import {
  endAttemptsOfMoved,
  endTodosOfRevoked,
  expireEndpoints,
  findEndpointByCredential,
  findExpired,
} from '../../../packages/switchboard/src/sql/endpoints.js';
import { findEventTodos } from '../../../packages/switchboard/src/sql/events.js';
import { findAttempts, getTodo, getTodoOf } from '../../../packages/switchboard/src/sql/find-todos.js';
import { insertInboundEvent } from '../../../packages/switchboard/src/sql/insert-inbound-event.js';
import { insertTodos, type NewTodoRow } from '../../../packages/switchboard/src/sql/insert-todos.js';
import { destroyPreviousSecrets, noteHookFailure, noteHookSuccess } from '../../../packages/switchboard/src/sql/notify-hooks.js';
import { dropEventAlone, findKeyHolder, insertOperatorEvent } from '../../../packages/switchboard/src/sql/push-todos.js';
import { expireQuarantined } from '../../../packages/switchboard/src/sql/quarantined-todos.js';
import { findWakeHooks, readDelivery } from '../../../packages/switchboard/src/sql/read-wakes.js';
import { closeReapedAttempts, reapTodos, requeueDueTodos, retryTodo } from '../../../packages/switchboard/src/sql/requeue-todos.js';
import {
  closeAttempt,
  completeTodo,
  extendAttempt,
  extendTodo,
  failTodo,
  releaseTodo,
} from '../../../packages/switchboard/src/sql/settle-todos.js';
import { forgetEvents, sweepAttempts, sweepEvents, sweepTodos } from '../../../packages/switchboard/src/sql/sweep-board.js';
import { findWebhookByToken } from '../../../packages/switchboard/src/sql/webhooks.js';
import {
  attemptWorlds,
  BATCH,
  boardWorlds,
  endpointWorlds,
  eventWorlds,
  hookWorlds,
  NOTHING_CLAIMABLE,
  NOW,
  namesOf,
  OUT_OF_SCOPE,
  RUNG,
  rungOf,
  todoWorlds,
  wantedOnBoard,
  webhookWorlds,
} from './board-worlds.js';
import type { HotStatement, OwnLimit, PluginStatements } from './hot-statement.js';

const SQL = 'packages/switchboard/src/sql';

const json = (value: unknown) => JSON.stringify(value);

const TODOS = namesOf(todoWorlds, attemptWorlds);
const EVENTS = namesOf(eventWorlds, todoWorlds);
const ENDPOINTS = namesOf(endpointWorlds, todoWorlds, hookWorlds);
const HOOKS = namesOf(hookWorlds, todoWorlds, endpointWorlds);
const WEBHOOKS = namesOf(webhookWorlds, endpointWorlds);

/** An entry of the board, in the worlds given. */
function entry(
  title: string,
  definition: string,
  statement: Statement,
  params: SqlParams,
  { returns, worlds, own }: { readonly returns: number; readonly worlds: readonly string[]; readonly own?: OwnLimit },
): HotStatement {
  return { definition: `${SQL}/${definition}`, title: `board: ${title}`, statement, params, returns, worlds, ...(own ? { own } : {}) };
}

const onTodos = (title: string, definition: string, statement: Statement, params: SqlParams, returns: number, own?: OwnLimit) =>
  entry(title, definition, statement, params, { returns, worlds: TODOS, ...(own ? { own } : {}) });

const QUEUES = json(['work', 'other', 'more']);
const OF = { endpointId: 'ep0', queues: QUEUES };
const TAKE = { ...OF, moved: 'new', claimant: 'me', fence: 'f', leaseUntil: NOW + 300_000, now: NOW, times: 1 };
const HELD = { ...OF, id: 'held1', fence: 'f', now: NOW, moved: 'new' };

/** Candidates of a claim. */
const MANY_AT_ONCE: OwnLimit = {
  reason:
    'on Postgres it looks at up to 72 candidates of each queue, three here, so that as many as claim at once get a todo each; there are no more of them among more rows',
  rows: () => 100 + 3 * 3 * 72,
};

/** Candidates of a claim that found all of those held. */
const EVEN_MORE_AT_ONCE: OwnLimit = {
  reason:
    'on Postgres it looks at up to 576 candidates of each queue, three here; it runs only where others hold all that the first try looked at',
  rows: () => 100 + 3 * 3 * 576,
};

const CLAIMABLE = { ...OF, claimant: 'me', now: NOW };

const claims: readonly HotStatement[] = [
  onTodos('claim the next', 'claim-todos.ts#claimNextTodo', claimNextTodo, TAKE, 1, MANY_AT_ONCE),
  onTodos('claim the next, by nobody', 'claim-todos.ts#claimNextTodo', claimNextTodo, { ...TAKE, claimant: null }, 1, MANY_AT_ONCE),
  onTodos('claim the next, again', 'claim-todos.ts#claimNextTodo', claimNextTodo, { ...TAKE, times: TIMES_AGAIN }, 1, EVEN_MORE_AT_ONCE),
  onTodos('is one claimable', 'claim-todos.ts#findClaimable', findClaimable, CLAIMABLE, 1),
  // All arms are read to their ends: it answers no, in one row.
  entry(
    'is one claimable where none is',
    'claim-todos.ts#findClaimable',
    findClaimable,
    { ...CLAIMABLE, queues: json(['more']) },
    { returns: 1, worlds: [...TODOS, NOTHING_CLAIMABLE] },
  ),
  onTodos('claim one', 'claim-todos.ts#claimTodo', claimTodo, { ...TAKE, id: 'todo1' }, 1),
  onTodos('close a lapsed attempt', 'claim-todos.ts#closeLapsedAttempt', closeLapsedAttempt, { moved: 'taking', now: NOW }, 1),
  onTodos('open an attempt', 'claim-todos.ts#openAttempt', openAttempt, { moved: 'taking' }, 1),
  onTodos('drop old attempts', 'claim-todos.ts#dropOldAttempts', dropOldAttempts, { id: 'long0', upTo: 14 }, 14),
];

const settles: readonly HotStatement[] = [
  onTodos('heartbeat', 'settle-todos.ts#settle', extendTodo, { ...HELD, leaseUntil: NOW + 300_000 }, 1),
  onTodos('complete', 'settle-todos.ts#settle', completeTodo, { ...HELD, result: '{}' }, 1),
  onTodos('fail', 'settle-todos.ts#settle', failTodo, { ...HELD, result: '{}' }, 1),
  onTodos('release', 'settle-todos.ts#settle', releaseTodo, HELD, 1),
  onTodos(
    'extend an attempt',
    'settle-todos.ts#extendAttempt',
    extendAttempt,
    { id: 'extended0', moved: 'extending', leaseUntil: NOW + 300_000, now: NOW },
    1,
  ),
  onTodos(
    'close an attempt',
    'settle-todos.ts#closeAttempt',
    closeAttempt,
    { id: 'settled0', moved: 'settling', outcome: 'completed', summary: null, now: NOW },
    1,
  ),
];

const requeues: readonly HotStatement[] = [
  onTodos('reap', 'requeue-todos.ts#reapTodos', reapTodos, { now: NOW, moved: 'swept-new', lapsed: '{}', limit: BATCH }, BATCH),
  onTodos('close reaped attempts', 'requeue-todos.ts#closeReapedAttempts', closeReapedAttempts, { now: NOW, moved: 'swept-now' }, BATCH),
  onTodos('requeue due retries', 'requeue-todos.ts#requeueDueTodos', requeueDueTodos, { now: NOW, moved: 'new', limit: BATCH }, BATCH),
  onTodos('retry by hand', 'requeue-todos.ts#retryTodo', retryTodo, { ...OF, id: 'letter1', moved: 'new', now: NOW }, 1),
  onTodos(
    'end todos of a revoked endpoint',
    'endpoints.ts#endTodosOfRevoked',
    endTodosOfRevoked,
    { now: NOW, moved: 'swept-new', ids: json(['gone0']), organizationId: null, result: '{}' },
    BATCH,
  ),
  onTodos(
    'end attempts of a revoked endpoint',
    'endpoints.ts#endAttemptsOfMoved',
    endAttemptsOfMoved,
    { now: NOW, moved: 'swept-revoking' },
    BATCH,
  ),
];

const row = (i: number, key: string | null): NewTodoRow => ({
  id: `new${i}`,
  organization_id: 'o1',
  endpoint_id: 'ep0',
  queue: 'work',
  gate: 1,
  source: 'github',
  kind: null,
  title: 'title',
  payload: null,
  idempotency_key: key,
  assignee: null,
  max_attempts: 5,
  quarantine_reason: null,
  quarantine_queue: null,
  quarantine_endpoint_id: null,
});
const rows = (key: (i: number) => string | null) => json(Array.from({ length: BATCH }, (_, i) => row(i, key(i))));
const EVENT = { eventId: 'event1', webhookId: 'wh1', externalId: 'event1' };

const inbound: readonly HotStatement[] = [
  entry(
    'webhook of a token',
    'webhooks.ts#findWebhookByToken',
    findWebhookByToken,
    { tokenHash: 'token1' },
    { returns: 1, worlds: WEBHOOKS },
  ),
  entry(
    'store an event',
    'insert-inbound-event.ts#insertInboundEvent',
    insertInboundEvent,
    {
      eventId: 'new',
      externalId: 'new',
      endpointId: 'ep0',
      source: 'github',
      organizationId: 'o1',
      kind: null,
      sender: null,
      verified: 1,
      now: NOW,
      payload: '{}',
      webhookId: 'token1',
      takers: '["ep0"]',
    },
    { returns: 1, worlds: [...EVENTS, ...WEBHOOKS] },
  ),
  entry('todos of an event', 'events.ts#findEventTodos', findEventTodos, EVENT, { returns: 1, worlds: EVENTS }),
  entry(
    'store todos of an event',
    'insert-todos.ts#insertTodos',
    insertTodos,
    { now: NOW, moved: 'new', eventId: 'event1', todos: rows(() => null) },
    { returns: BATCH, worlds: EVENTS },
  ),
  entry(
    'store todos with keys',
    'insert-todos.ts#insertTodos',
    insertTodos,
    // Every other key is held.
    { now: NOW, moved: 'new', eventId: 'event1', todos: rows((i) => (i % 2 === 0 ? `k${i}` : `new${i}`)) },
    { returns: BATCH / 2, worlds: EVENTS },
  ),
  entry(
    'store the event of a push',
    'push-todos.ts#insertOperatorEvent',
    insertOperatorEvent,
    { eventId: 'new', organizationId: 'o1', endpointId: 'ep0', kind: null, payload: '{}', key: 'new', now: NOW },
    { returns: 1, worlds: EVENTS },
  ),
  entry(
    'take an event back that has its todo',
    'push-todos.ts#dropEventAlone',
    dropEventAlone,
    { eventId: 'event1' },
    { returns: 0, worlds: EVENTS },
  ),
  onTodos('holder of a key', 'push-todos.ts#findKeyHolder', findKeyHolder, { endpointId: 'ep0', key: 'k1' }, 1),
];

const reads: readonly HotStatement[] = [
  onTodos('todo', 'find-todos.ts#getTodo', getTodo, { ...OF, id: 'todo1' }, 1),
  onTodos('todo of an organization', 'find-todos.ts#getTodoOf', getTodoOf, { organizationId: 'o1', id: 'todo1' }, 1),
  onTodos('attempts of a todo', 'find-todos.ts#findAttempts', findAttempts, { id: 'long0', limit: BATCH, closed: 1 }, BATCH),
  entry(
    'endpoint of a credential',
    'endpoints.ts#findEndpointByCredential',
    findEndpointByCredential,
    { credentialHash: 'ep1' },
    { returns: 1, worlds: namesOf(endpointWorlds) },
  ),
];

const WAKE = { todoId: 'held1', endpointId: 'ep0', queue: 'work', now: NOW };
const DELIVERED = { id: 'hook1', outcome: '2xx', at: NOW };
const notify: readonly HotStatement[] = [
  // Of a todo that is claimed already, so the one that waits longest is looked for.
  entry('hooks of a wake', 'read-wakes.ts#findWakeHooks', findWakeHooks, WAKE, { returns: 4, worlds: HOOKS }),
  entry('delivery of a wake', 'read-wakes.ts#readDelivery', readDelivery, { ...WAKE, hookId: 'hook1' }, { returns: 1, worlds: HOOKS }),
  entry(
    'delivery of a wake, its own todo',
    'read-wakes.ts#readDelivery',
    readDelivery,
    { ...WAKE, todoId: 'todo1', hookId: 'hook1' },
    {
      returns: 1,
      worlds: HOOKS,
    },
  ),
  entry('accepted by a hook', 'notify-hooks.ts#noteHookSuccess', noteHookSuccess, DELIVERED, { returns: 1, worlds: namesOf(hookWorlds) }),
  entry('failed at a hook', 'notify-hooks.ts#noteHookFailure', noteHookFailure, DELIVERED, { returns: 1, worlds: namesOf(hookWorlds) }),
];

/** What was rung is passed on the way to what is due. */
const PASSES_RUNG: OwnLimit = {
  reason: 'todos that were rung and wait for the next ring are passed: three of a sweep, so no more than a few thousand in six hours',
  worlds: [RUNG],
  rows: ({ returned, scale }) => 10 * returned + 100 + 3 * rungOf(scale),
  growth: 120,
};

const ENDPOINTS_HERE = json(['ep0', 'ep1', 'ep2', 'ep3']);
const RUNG_IN = TODOS.filter((name) => name !== OUT_OF_SCOPE);
const onRung = (title: string, name: string, statement: Statement, params: SqlParams, returns: number, own?: OwnLimit) =>
  entry(title, `doorbell.ts#${name}`, statement, params, { returns, worlds: RUNG_IN, ...(own ? { own } : {}) });

const rings: readonly HotStatement[] = [
  onTodos('pending of a signal', 'doorbell.ts#readPending', readPending, { endpointId: 'ep0', queue: 'work', limit: 16 }, 16),
  onRung('rings of an attach', 'chargeAttachRings', chargeAttachRings, { ...OF, now: NOW, limit: 3 }, 3),
  onRung('is a ring due', 'findDueRing', findDueRing, { endpoints: ENDPOINTS_HERE, now: NOW, limit: 3 }, 1, PASSES_RUNG),
  onRung('rings of the heartbeat', 'chargeHeartbeat', chargeHeartbeat, { endpoints: ENDPOINTS_HERE, now: NOW, limit: 3 }, 3, PASSES_RUNG),
  entry(
    'live endpoints',
    'doorbell.ts#findLiveEndpoints',
    findLiveEndpoints,
    { endpoints: ENDPOINTS_HERE, now: NOW },
    { returns: 4, worlds: namesOf(endpointWorlds) },
  ),
];

const DAY_MS = 86_400_000;
/** No statement of a file: the reaper puts the questions of all duties into one of its own. Each stands under what it decides about. */
function question(duty: string, definition: string, decides: Statement): HotStatement {
  const duties = boardDuties({ eventsMs: DAY_MS, todosMs: DAY_MS }, () => {
    throw new Error('The duties are only asked what they ask.');
  });
  const found = duties.find(({ name }) => name === duty);
  if (!found || !('question' in found)) throw new Error(`There is no duty ${duty} that asks in SQL.`);
  return entry(
    `question of ${duty}`,
    definition,
    defineStatement({ label: decides.label, operation: 'select', table: decides.table, sql: `SELECT (${found.question}) AS d0` }),
    { now: NOW },
    { returns: 1, worlds: namesOf(boardWorlds) },
  );
}

const OLD = { before: 900, limit: BATCH };
const reaper: readonly HotStatement[] = [
  question('board.leases', 'requeue-todos.ts#reapTodos', reapTodos),
  question('board.retries', 'requeue-todos.ts#requeueDueTodos', requeueDueTodos),
  question('board.expiry', 'endpoints.ts#findExpired', findExpired),
  question('board.hook-secrets', 'notify-hooks.ts#destroyPreviousSecrets', destroyPreviousSecrets),
  question('board.todo-retention', 'sweep-board.ts#sweepTodos', sweepTodos),
  question('board.event-retention', 'sweep-board.ts#sweepEvents', sweepEvents),
  question('board.quarantine-expiry', 'quarantined-todos.ts#expireQuarantined', expireQuarantined),
  entry('expired endpoints', 'endpoints.ts#findExpired', findExpired, { now: NOW, limit: BATCH }, { returns: BATCH, worlds: ENDPOINTS }),
  entry(
    'expire endpoints',
    'endpoints.ts#expireEndpoints',
    expireEndpoints,
    { now: NOW, ids: json(Array.from({ length: BATCH }, (_, i) => `expired${i}`)) },
    { returns: BATCH, worlds: ENDPOINTS },
  ),
  entry(
    'destroy old secrets',
    'notify-hooks.ts#destroyPreviousSecrets',
    destroyPreviousSecrets,
    { now: NOW },
    { returns: BATCH, worlds: namesOf(hookWorlds) },
  ),
  onTodos('sweep attempts', 'sweep-board.ts#sweepAttempts', sweepAttempts, OLD, 2 * BATCH),
  onTodos('sweep todos', 'sweep-board.ts#sweepTodos', sweepTodos, OLD, BATCH),
  entry('forget events', 'sweep-board.ts#forgetEvents', forgetEvents, OLD, { returns: BATCH, worlds: EVENTS }),
  entry('sweep events', 'sweep-board.ts#sweepEvents', sweepEvents, { ...OLD, limit: 2 * BATCH }, { returns: BATCH, worlds: EVENTS }),
  onTodos(
    'expire what is in quarantine',
    'quarantined-todos.ts#expireQuarantined',
    expireQuarantined,
    { ...OLD, now: NOW, moved: 'new' },
    BATCH,
  ),
];

const cold = (file: string, names: readonly string[], reason: string) =>
  names.map((name) => ({ definition: `${SQL}/${file}#${name}`, reason }));

export const board: PluginStatements = {
  file: 'scripts/gates/statement-plans/board.ts',
  migrations: [boardMigrations],
  wanted: wantedOnBoard,
  worlds: boardWorlds,
  hot: [...claims, ...settles, ...requeues, ...inbound, ...reads, ...notify, ...rings, ...reaper],
  cold: [
    ...cold(
      'endpoints.ts',
      ['insertEndpoint', 'listEndpoints', 'findEndpointById', 'findEndpointBySlug', 'findEndpointsByIds', 'revokeEndpoint'],
      'run by an operator who keeps endpoints',
    ),
    ...cold('webhooks.ts', ['insertWebhook', 'listWebhooks', 'deleteWebhook'], 'run by an operator who keeps webhooks'),
    ...cold(
      'notify-hooks.ts',
      ['lockHookEndpoint', 'insertHook', 'countHooks', 'listHooks', 'rotateHook', 'enableHook', 'disableHook', 'deleteHook'],
      'run by an operator who keeps notify hooks, of which an endpoint has a few',
    ),
    ...cold(
      'find-todos.ts',
      ['listTodos', 'listTodosOf'],
      'run for somebody who looks around, a page along an index; what the filters leave out is passed',
    ),
    ...cold('find-todos.ts', ['countTodos'], 'run for metrics, which a scraper asks for, and counts all that is not done'),
    ...cold('quarantined-todos.ts', ['releaseQuarantined', 'discardQuarantined'], 'run by an operator, of one todo by its id'),
    ...cold('requeue-todos.ts', ['retryTodoOf'], 'run by an operator, of one todo by its id'),
  ],
};

import { randomUUID } from 'node:crypto';
import type { OperatorTodoFilter, SqlParams, Statement, StatementResult, Store, Todo, TodoCount, TodoPage } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import { type PagePosition, toPage } from '@bellhop/store';
import type { MovedTodo } from '../board-announcements.js';
import { countTodos, getTodoOf, listTodos, listTodosOf } from '../sql/find-todos.js';
import { type InsertedTodo, insertTodos, type NewTodoRow } from '../sql/insert-todos.js';
import { dropEventAlone, findKeyHolder, insertOperatorEvent } from '../sql/push-todos.js';
import { discardQuarantined, releaseQuarantined } from '../sql/quarantined-todos.js';
import { retryTodoOf } from '../sql/requeue-todos.js';
import { type ListedTodoRecord, type TodoRecord, toListedTodo, toTodo } from './todo-rows.js';
import { type Holder, type Moved, todoNotFound, toMoved } from './todo-store.js';

/** A page to be read, checked. */
export interface TodoQuery {
  readonly state: string | null;
  readonly after: PagePosition | null;
  readonly limit: number;
}

export interface PushedRow {
  readonly id: string;
  /** What was stored; undefined where a living todo holds the key. */
  readonly stored: MovedTodo | undefined;
}

/** A push that finds a key held by one who gives it up before it is named, tries again so often. */
const PUSH_TRIES = 10;

interface PushTry {
  readonly stored: InsertedTodo | undefined;
  readonly holder: { readonly state: string; readonly id: string | null } | undefined;
}

function toTry(inserted: StatementResult<unknown> | undefined, found: StatementResult<unknown> | undefined): PushTry {
  const [stored] = (inserted?.rows ?? []) as InsertedTodo[];
  const [holder] = (found?.rows ?? []) as { state: string; id: string | null }[];
  return { stored, holder };
}

/** What comes in by hand, and what an organization does with all of its todos. */
export class OperatorTodoStore {
  constructor(private readonly store: Store) {}

  /**
   * Stores a todo and, where it is an operator's, its event: both, or neither.
   *
   * @throws BellhopError `TODO_CONFLICT`: the endpoint was revoked, or the key passed from hand to hand faster than it could be taken.
   */
  async push(todo: NewTodoRow, eventId: string | null): Promise<PushedRow> {
    for (let tries = 0; tries < PUSH_TRIES; tries += 1) {
      const { stored, holder } = eventId === null ? await this.#pushAlone(todo) : await this.#pushWithEvent(todo, eventId);
      if (stored) return { id: stored.id, stored };
      if (holder?.id) return { id: holder.id, stored: undefined };
      if (holder?.state !== 'active') {
        throw new BellhopError('TODO_CONFLICT', 'The endpoint takes no todos any more: it was revoked. Nothing was stored.');
      }
      // Whoever held the key when it was asked for has given it up since: it may be free.
    }
    throw new BellhopError(
      'TODO_CONFLICT',
      'Others took the idempotency key and gave it up again at each try. Nothing was stored; push again.',
    );
  }

  async #pushAlone(todo: NewTodoRow): Promise<PushTry> {
    const { organization_id: organizationId, endpoint_id: endpointId, idempotency_key: key } = todo;
    const params = { now: this.store.clock.now(), moved: randomUUID(), eventId: null, todos: JSON.stringify([todo]) };
    const [inserted, found] = await this.store.batch([
      { statement: insertTodos, params, scope: { organizationId } },
      { statement: findKeyHolder, params: { endpointId, key } },
    ]);
    return toTry(inserted, found);
  }

  async #pushWithEvent(todo: NewTodoRow, eventId: string): Promise<PushTry> {
    const { organization_id: organizationId, endpoint_id: endpointId, idempotency_key: key, kind, payload } = todo;
    const now = this.store.clock.now();
    const scope = { organizationId };
    const [, inserted, , found] = await this.store.batch([
      { statement: insertOperatorEvent, params: { eventId, organizationId, endpointId, kind, payload, key, now }, scope },
      { statement: insertTodos, params: { now, moved: randomUUID(), eventId, todos: JSON.stringify([todo]) }, scope },
      { statement: dropEventAlone, params: { eventId }, scope },
      { statement: findKeyHolder, params: { endpointId, key } },
    ]);
    return toTry(inserted, found);
  }

  async get(id: string, organizationId: string): Promise<Todo | null> {
    const [row] = await this.store.read<TodoRecord>(getTodoOf, { id, organizationId });
    return row ? toTodo(row) : null;
  }

  async listOf(organizationId: string, { endpointId, queue }: OperatorTodoFilter, query: TodoQuery): Promise<TodoPage> {
    return this.#page(listTodosOf, { organizationId, endpointId: endpointId ?? null, queue: queue ?? null }, query);
  }

  async list({ endpointId, queues }: Holder, query: TodoQuery): Promise<TodoPage> {
    return this.#page(listTodos, { endpointId, queues: JSON.stringify(queues) }, query);
  }

  retry(id: string, organizationId: string): Promise<Moved> {
    return this.#move(retryTodoOf, id, organizationId, 'only a failed one is retried, of an endpoint that is active');
  }

  releaseQuarantined(id: string, organizationId: string): Promise<Moved> {
    return this.#move(releaseQuarantined, id, organizationId, 'only one in quarantine is released, to an endpoint that is active');
  }

  discardQuarantined(id: string, organizationId: string): Promise<Moved> {
    return this.#move(discardQuarantined, id, organizationId, 'only one in quarantine is discarded');
  }

  async counts(): Promise<TodoCount[]> {
    const now = this.store.clock.now();
    const rows = await this.store.read<Record<string, number | string | null>>(countTodos, {});
    return rows.map((row) => ({
      queue: String(row.queue),
      pending: Number(row.pending),
      claimed: Number(row.claimed),
      parked: Number(row.parked),
      dead: Number(row.dead),
      oldestPendingMs: row.oldest_pending == null ? null : Math.max(0, now - Number(row.oldest_pending)),
    }));
  }

  async #page(statement: Statement, params: SqlParams, { state, after, limit }: TodoQuery): Promise<TodoPage> {
    const rows = await this.store.read<ListedTodoRecord>(statement, {
      ...params,
      state,
      afterTime: after?.time ?? null,
      afterId: after?.id ?? null,
      limit: limit + 1,
    });
    return toPage(rows.map(toListedTodo), limit, ({ createdAt }) => createdAt);
  }

  async #move(statement: Statement, id: string, organizationId: string, why: string): Promise<Moved> {
    const params = { id, organizationId, moved: randomUUID(), now: this.store.clock.now() };
    const { rows } = await this.store.write<TodoRecord>(statement, params, { organizationId });
    const [row] = rows;
    if (row) return toMoved(row);
    const todo = await this.get(id, organizationId);
    if (!todo) throw todoNotFound(id);
    throw new BellhopError(
      'TODO_CONFLICT',
      `The todo ${id} is ${todo.state} in the queue ${JSON.stringify(todo.queue)}: ${why}. Nothing was changed.`,
    );
  }
}

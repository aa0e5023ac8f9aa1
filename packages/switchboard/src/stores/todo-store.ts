import { randomUUID } from 'node:crypto';
import type { SqlParams, Statement, Store, Todo, TodoAttempt } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import type { MovedTodo } from '../board-announcements.js';
import {
  ATTEMPTS_KEPT,
  claimNextTodo,
  claimTodo,
  closeLapsedAttempt,
  dropOldAttempts,
  findClaimable,
  openAttempt,
  TIMES_AGAIN,
} from '../sql/claim-todos.js';
import { findAttempts, getTodo } from '../sql/find-todos.js';
import { retryTodo } from '../sql/requeue-todos.js';
import { closeAttempt, completeTodo, extendAttempt, extendTodo, failTodo, releaseTodo } from '../sql/settle-todos.js';
import { type AttemptRecord, type TodoRecord, toAttempt, toTodo } from './todo-rows.js';

/** Whose todos: one endpoint's, in queues of its scope. */
export interface Holder {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly queues: readonly string[];
}

export interface Claim {
  readonly leaseMs: number;
  readonly claimant: string | null;
  /** The hash of the lease token; null: none was asked for. */
  readonly fence: string | null;
}

/** A todo that a call moved. */
export interface Moved {
  readonly todo: Todo;
  readonly row: MovedTodo;
}

/** Tries of a claim of the oldest after its first, on Postgres. */
const TRIES_AGAIN = 10;

type Outcome = 'completed' | 'failed' | 'released';

/** What consumers do with todos. Each change is one batch with its attempt's, and a compare-and-set: it writes all, or nothing. */
export class TodoStore {
  constructor(private readonly store: Store) {}

  /** @throws BellhopError `NOT_FOUND`, `TODO_CONFLICT`. */
  async claim(id: string, holder: Holder, claim: Claim): Promise<Todo> {
    const todo = await this.#claim(claimTodo, holder, claim, { id });
    return (
      todo ??
      this.#refuse(id, holder, 'it is not claimable: somebody holds it, it is finished, its retry is not due, or it is assigned to another')
    );
  }

  /**
   * The oldest; null when there is none. On Postgres null may also mean that others held all it looked at, {@link TRIES_AGAIN} times over: it
   * passes by what others are claiming, and asks each time whether there is something at all.
   */
  async claimNext(holder: Holder, claim: Claim): Promise<Todo | null> {
    let todo = await this.#claim(claimNextTodo, holder, claim, { times: 1 });
    // SQLite writes one at a time: what is not found there is not there.
    if (this.store.family === 'sqlite') return todo;
    for (let again = 0; !todo && again < TRIES_AGAIN && (await this.#isClaimable(holder, claim)); again += 1) {
      todo = await this.#claim(claimNextTodo, holder, claim, { times: TIMES_AGAIN });
    }
    return todo;
  }

  async heartbeat(
    id: string,
    holder: Holder,
    { fence, leaseMs }: { readonly fence: string | null; readonly leaseMs: number },
  ): Promise<Todo> {
    const now = this.store.clock.now();
    const moved = randomUUID();
    const lease = { now, moved, leaseUntil: now + leaseMs };
    const scope = { organizationId: holder.organizationId };
    const [extended] = await this.store.batch([
      { statement: extendTodo, params: { ...lease, ...held(id, holder, fence) }, scope },
      { statement: extendAttempt, params: { ...lease, id }, scope },
    ]);
    const [row] = (extended?.rows ?? []) as unknown as TodoRecord[];
    return row ? toTodo(row) : this.#refuse(id, holder, notHeld(fence));
  }

  complete(
    id: string,
    holder: Holder,
    end: { readonly fence: string | null; readonly result: string | null; readonly summary: string | null },
  ) {
    return this.#settle(completeTodo, 'completed', id, holder, end);
  }

  fail(
    id: string,
    holder: Holder,
    end: { readonly fence: string | null; readonly result: string | null; readonly summary: string | null },
  ) {
    return this.#settle(failTodo, 'failed', id, holder, end);
  }

  release(id: string, holder: Holder, end: { readonly fence: string | null; readonly summary: string | null }) {
    return this.#settle(releaseTodo, 'released', id, holder, { ...end, result: null });
  }

  /** @throws BellhopError `NOT_FOUND`, `TODO_CONFLICT`. */
  async retry(id: string, holder: Holder): Promise<Moved> {
    const { organizationId, endpointId, queues } = holder;
    const params = { id, endpointId, queues: JSON.stringify(queues), moved: randomUUID(), now: this.store.clock.now() };
    const { rows } = await this.store.write<TodoRecord>(retryTodo, params, { organizationId });
    const [row] = rows;
    return row ? toMoved(row) : this.#refuse(id, holder, 'only a failed one is retried');
  }

  /** Null: there is none in the scope. */
  async get(id: string, { endpointId, queues }: Holder): Promise<Todo | null> {
    const [row] = await this.store.read<TodoRecord>(getTodo, { id, endpointId, queues: JSON.stringify(queues) });
    return row ? toTodo(row) : null;
  }

  /** Newest first. */
  async attempts(id: string, { limit, closed = false }: { readonly limit: number; readonly closed?: boolean }): Promise<TodoAttempt[]> {
    return (await this.store.read<AttemptRecord>(findAttempts, { id, limit, closed: closed ? 1 : 0 })).map(toAttempt);
  }

  async #claim(statement: Statement, holder: Holder, { leaseMs, claimant, fence }: Claim, which: SqlParams): Promise<Todo | null> {
    const { organizationId, endpointId, queues } = holder;
    const now = this.store.clock.now();
    const moved = randomUUID();
    const params = { ...which, endpointId, queues: JSON.stringify(queues), moved, claimant, fence, now, leaseUntil: now + leaseMs };
    const scope = { organizationId };
    const [taken] = await this.store.batch([
      { statement, params, scope },
      { statement: closeLapsedAttempt, params: { moved, now }, scope },
      { statement: openAttempt, params: { moved }, scope },
    ]);
    const [row] = (taken?.rows ?? []) as unknown as TodoRecord[];
    if (!row) return null;
    if (row.attempts_total > ATTEMPTS_KEPT) {
      await this.store.write(dropOldAttempts, { id: row.id, upTo: row.attempts_total - ATTEMPTS_KEPT }, scope);
    }
    return toTodo(row);
  }

  /** Whether there is something to claim, be it in the hands of somebody who is claiming it. */
  async #isClaimable({ endpointId, queues }: Holder, { claimant }: Claim): Promise<boolean> {
    const params = { endpointId, queues: JSON.stringify(queues), claimant, now: this.store.clock.now() };
    const [row] = await this.store.read<{ readonly found: number }>(findClaimable, params);
    return row?.found === 1;
  }

  async #settle(
    statement: Statement,
    outcome: Outcome,
    id: string,
    holder: Holder,
    { fence, result, summary }: { readonly fence: string | null; readonly result: string | null; readonly summary: string | null },
  ): Promise<Moved> {
    const now = this.store.clock.now();
    const moved = randomUUID();
    const scope = { organizationId: holder.organizationId };
    const [settled] = await this.store.batch([
      { statement, params: { ...held(id, holder, fence), now, moved, ...(outcome === 'released' ? {} : { result }) }, scope },
      { statement: closeAttempt, params: { id, moved, outcome, summary, now }, scope },
    ]);
    const [row] = (settled?.rows ?? []) as unknown as TodoRecord[];
    return row ? toMoved(row) : this.#refuse(id, holder, notHeld(fence));
  }

  /** Nothing was written: says why. */
  async #refuse(id: string, holder: Holder, why: string): Promise<never> {
    const todo = await this.get(id, holder);
    if (!todo) throw todoNotFound(id);
    throw new BellhopError('TODO_CONFLICT', `The todo ${id} is ${todo.state}: ${why}. Nothing was changed.`);
  }
}

/** What cannot be told apart after the fact is named together: whichever it was, the work is somebody else's, or over. */
function notHeld(fence: string | null): string {
  const token =
    fence === null
      ? 'it was claimed with a fence and no leaseToken was given'
      : 'the leaseToken given is not that of the claim that holds it';
  return `this call does not hold it. Its lease ran out, it was settled or taken over, or ${token}. Stop working on it`;
}

export function todoNotFound(id: string): BellhopError {
  return new BellhopError('NOT_FOUND', `There is no todo ${JSON.stringify(id.slice(0, 80))} here.`);
}

export function toMoved(row: TodoRecord): Moved {
  return { todo: toTodo(row), row };
}

function held(id: string, { endpointId, queues }: Holder, fence: string | null): SqlParams {
  return { id, endpointId, queues: JSON.stringify(queues), fence };
}

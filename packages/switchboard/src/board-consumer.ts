import type {
  BoardConsumer,
  BoardEndpoint,
  BoardHooks,
  BoardVerb,
  ClaimedTodo,
  ClaimInput,
  ClaimNextInput,
  HeartbeatInput,
  Pushed,
  PushInput,
  ReleaseInput,
  SettleInput,
  Todo,
  TodoDetail,
  TodoFilter,
  TodoPage,
} from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import type { BoardAnnouncements } from './board-announcements.js';
import { makeCredential } from './credential.js';
import { newTodoRow } from './new-todo.js';
import type { OperatorTodoStore } from './stores/operator-todo-store.js';
import { type Holder, type Moved, type TodoStore, todoNotFound } from './stores/todo-store.js';
import { checkClaim, checkClaimQueues, checkEnd, checkFilter, checkHeartbeat, checkPush, checkRelease, checkTodoId } from './todo-input.js';

export interface ConsumerPorts {
  readonly todos: TodoStore;
  readonly operator: OperatorTodoStore;
  readonly announcements: BoardAnnouncements;
  readonly hooksOf: (endpoint: BoardEndpoint) => BoardHooks;
}

/** Attempts that a claim shows of those before it, and a todo of its own. */
const EARLIER_ATTEMPTS = 5;
export const SHOWN_ATTEMPTS = 20;

/** What one credential may do. Each call asks for its verb first: what is not granted reads nothing and writes nothing. */
export class EndpointConsumer implements BoardConsumer {
  readonly hooks: BoardHooks;

  constructor(
    readonly endpoint: BoardEndpoint,
    private readonly ports: ConsumerPorts,
  ) {
    this.hooks = granted(ports.hooksOf(endpoint), () => this.#need('notify_hooks'));
  }

  async listTodos(filter: TodoFilter = {}): Promise<TodoPage> {
    this.#need('list_todos');
    const { queues, query } = checkFilter(filter, this.endpoint);
    return this.ports.operator.list({ ...this.#holder, queues }, query);
  }

  async getTodo(id: string): Promise<TodoDetail> {
    this.#need('get_todo');
    const checked = checkTodoId(id);
    const todo = await this.ports.todos.get(checked, this.#holder);
    if (!todo) throw todoNotFound(checked);
    return { ...todo, attempts: await this.ports.todos.attempts(checked, { limit: SHOWN_ATTEMPTS }) };
  }

  async claim(id: string, input: ClaimInput = {}): Promise<ClaimedTodo> {
    this.#need('claim');
    const token = makeCredential('fence');
    const claim = checkClaim(input, this.endpoint, token);
    return this.#claimed(await this.ports.todos.claim(checkTodoId(id), this.#holder, claim), claim.fence === null ? null : token);
  }

  async claimNext(input: ClaimNextInput = {}): Promise<ClaimedTodo | null> {
    this.#need('claim');
    const token = makeCredential('fence');
    const claim = checkClaim(input, this.endpoint, token);
    const todo = await this.ports.todos.claimNext({ ...this.#holder, queues: checkClaimQueues(input, this.endpoint) }, claim);
    return todo && this.#claimed(todo, claim.fence === null ? null : token);
  }

  async heartbeat(id: string, input: HeartbeatInput = {}): Promise<Todo> {
    this.#need('heartbeat');
    return this.ports.todos.heartbeat(checkTodoId(id), this.#holder, checkHeartbeat(input, this.endpoint));
  }

  async complete(id: string, input: SettleInput = {}): Promise<Todo> {
    this.#need('complete');
    const { todo } = await this.ports.todos.complete(checkTodoId(id), this.#holder, checkEnd(input));
    return todo;
  }

  async fail(id: string, input: SettleInput = {}): Promise<Todo> {
    this.#need('fail');
    const { todo } = await this.ports.todos.fail(checkTodoId(id), this.#holder, checkEnd(input));
    return todo;
  }

  async release(id: string, input: ReleaseInput = {}): Promise<Todo> {
    this.#need('release');
    return this.#requeued(await this.ports.todos.release(checkTodoId(id), this.#holder, checkRelease(input)));
  }

  async retry(id: string): Promise<Todo> {
    this.#need('retry');
    return this.#requeued(await this.ports.todos.retry(checkTodoId(id), this.#holder));
  }

  async push(input: PushInput): Promise<Pushed> {
    this.#need('push');
    const todo = newTodoRow(checkPush(input, this.endpoint), this.endpoint, { source: 'endpoint', gate: false });
    const { id, stored } = await this.ports.operator.push(todo, null);
    return { id, deduped: stored === undefined };
  }

  get #holder(): Holder {
    const { organizationId, id, queues } = this.endpoint;
    return { organizationId, endpointId: id, queues };
  }

  #need(verb: BoardVerb): void {
    const { verbs, slug } = this.endpoint;
    if (verbs.includes(verb)) return;
    throw new BellhopError(
      'FORBIDDEN',
      `The endpoint ${slug} may not ${verb}; it was granted ${verbs.join(', ')}. A scope is fixed: vend another endpoint that may.`,
    );
  }

  async #claimed(todo: Todo, leaseToken: string | null): Promise<ClaimedTodo> {
    const earlier = todo.attemptsTotal > 1 ? await this.ports.todos.attempts(todo.id, { limit: EARLIER_ATTEMPTS, closed: true }) : [];
    return {
      ...todo,
      state: 'claimed',
      leaseUntil: todo.leaseUntil ?? 0,
      attemptSeq: todo.attemptsTotal,
      leaseToken,
      earlierAttempts: earlier,
    };
  }

  #requeued({ todo, row }: Moved): Todo {
    this.ports.announcements.announce([row], 'requeued');
    return todo;
  }
}

/** The same calls, each of which asks first. */
function granted(hooks: BoardHooks, ask: () => void): BoardHooks {
  return {
    async create(input) {
      ask();
      return hooks.create(input);
    },
    async list() {
      ask();
      return hooks.list();
    },
    async rotate(id) {
      ask();
      return hooks.rotate(id);
    },
    async delete(id) {
      ask();
      return hooks.delete(id);
    },
  };
}

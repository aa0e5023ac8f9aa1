import { randomUUID } from 'node:crypto';
import type {
  AnsweredChallenge,
  BoardConsumer,
  BoardEndpoint,
  BoardScope,
  BoardWebhooks,
  IBoard,
  InboundAdmission,
  InboundRequest,
  IngestResult,
  OperatorHooks,
  OperatorTodoFilter,
  Pushed,
  PushInput,
  ReadyHook,
  Todo,
  TodoCount,
  TodoDetail,
  TodoPage,
  VendedEndpoint,
  VendInput,
} from '@bellhop/contracts';
import { BellhopError, type Clock, InputError } from '@bellhop/kernel';
import { checkName } from '@bellhop/store';
import type { BoardAnnouncements } from './board-announcements.js';
import { EndpointConsumer, SHOWN_ATTEMPTS } from './board-consumer.js';
import { credentialPrefix, hashCredential, makeCredential } from './credential.js';
import type { Doorbell } from './doorbell/doorbell.js';
import { checkVend } from './endpoint-input.js';
import { gateVerdict } from './gate.js';
import type { Ingest } from './inbound/ingest.js';
import { WebhooksOfEndpoint } from './inbound/webhooks-of-endpoint.js';
import { newTodoRow } from './new-todo.js';
import type { ReadyEdges } from './ready-edges.js';
import type { EndpointStore } from './stores/endpoint-store.js';
import type { NotifyHookStore } from './stores/notify-hook-store.js';
import type { OperatorTodoStore } from './stores/operator-todo-store.js';
import { type Moved, type TodoStore, todoNotFound } from './stores/todo-store.js';
import type { WebhookStore } from './stores/webhook-store.js';
import { checkOperatorFilter, checkPush, checkTodoId } from './todo-input.js';

export interface BoardPorts {
  readonly clock: Clock;
  readonly endpoints: EndpointStore;
  readonly todos: TodoStore;
  readonly operator: OperatorTodoStore;
  readonly notifyHooks: NotifyHookStore;
  readonly inboundWebhooks: WebhookStore;
  readonly inbound: Ingest;
  readonly doorbell: Doorbell;
  readonly announcements: BoardAnnouncements;
  readonly edges: ReadyEdges;
}

/** The source of what an operator pushes. */
const OPERATOR = 'operator';
const CREDENTIAL = /^sbk_[A-Za-z0-9_-]{43}$/;

/** The board: checks what comes in, finds whose it is, and tells of what became pending, after its commit and never before. */
export class Board implements IBoard {
  constructor(private readonly ports: BoardPorts) {}

  async vend(input: VendInput, scope: BoardScope): Promise<VendedEndpoint> {
    const vend = checkVend(input, this.ports.clock.now());
    const credential = makeCredential('endpoint');
    const endpoint = await this.ports.endpoints.insert({
      ...vend,
      organizationId: organizationOf(scope),
      credentialHash: hashCredential(credential),
      credentialPrefix: credentialPrefix(credential),
    });
    if (endpoint) return { endpoint, credential };
    throw new BellhopError('SLUG_TAKEN', `An endpoint of this organization has the slug ${vend.slug}, revoked or not; choose another.`);
  }

  async endpoints(scope: BoardScope): Promise<BoardEndpoint[]> {
    return this.ports.endpoints.list(organizationOf(scope));
  }

  async endpoint(idOrSlug: string, scope: BoardScope): Promise<BoardEndpoint> {
    const endpoint = isName(idOrSlug) ? await this.ports.endpoints.find(idOrSlug, organizationOf(scope)) : undefined;
    if (endpoint) return endpoint;
    throw new BellhopError('NOT_FOUND', `There is no endpoint ${JSON.stringify(String(idOrSlug).slice(0, 80))} in this organization.`);
  }

  async revoke(idOrSlug: string, scope: BoardScope): Promise<BoardEndpoint> {
    const { id } = await this.endpoint(idOrSlug, scope);
    const revoked = await this.ports.endpoints.revoke(id, scope.organizationId);
    this.ports.doorbell.closeEndpoint(id);
    return revoked ?? this.endpoint(id, scope);
  }

  async hooks(idOrSlug: string, scope: BoardScope): Promise<OperatorHooks> {
    return this.ports.notifyHooks.of(await this.endpoint(idOrSlug, scope));
  }

  async webhooks(idOrSlug: string, scope: BoardScope): Promise<BoardWebhooks> {
    const { endpoints, inboundWebhooks, clock } = this.ports;
    return new WebhooksOfEndpoint({ owner: await this.endpoint(idOrSlug, scope), endpoints, webhooks: inboundWebhooks, clock });
  }

  async push(idOrSlug: string, input: PushInput, scope: BoardScope): Promise<Pushed> {
    const endpoint = await this.endpoint(idOrSlug, scope);
    const gate = gateVerdict({ verified: true, source: OPERATOR });
    const todo = newTodoRow(checkPush(input, endpoint), endpoint, { source: OPERATOR, gate });
    const { id, stored } = await this.ports.operator.push(todo, `ev_${randomUUID()}`);
    if (stored) this.ports.announcements.announce([stored], 'created');
    return { id, deduped: stored === undefined };
  }

  async listTodos(filter: OperatorTodoFilter, scope: BoardScope): Promise<TodoPage> {
    return this.ports.operator.listOf(organizationOf(scope), filter, checkOperatorFilter(filter));
  }

  async getTodo(id: string, scope: BoardScope): Promise<TodoDetail> {
    const checked = checkTodoId(id);
    const todo = await this.ports.operator.get(checked, organizationOf(scope));
    if (!todo) throw todoNotFound(checked);
    return { ...todo, attempts: await this.ports.todos.attempts(checked, { limit: SHOWN_ATTEMPTS }) };
  }

  async retry(id: string, scope: BoardScope): Promise<Todo> {
    return this.#announced(await this.ports.operator.retry(checkTodoId(id), organizationOf(scope)), 'requeued');
  }

  async releaseQuarantined(id: string, scope: BoardScope): Promise<Todo> {
    // To its consumer it is as if it had just come.
    return this.#announced(await this.ports.operator.releaseQuarantined(checkTodoId(id), organizationOf(scope)), 'created');
  }

  async discardQuarantined(id: string, scope: BoardScope): Promise<Todo> {
    const { todo } = await this.ports.operator.discardQuarantined(checkTodoId(id), organizationOf(scope));
    return todo;
  }

  async authenticate(credential: string): Promise<BoardConsumer> {
    const { clock, endpoints, todos, operator, announcements, notifyHooks } = this.ports;
    const endpoint = CREDENTIAL.test(credential) ? await endpoints.byCredential(hashCredential(credential)) : undefined;
    if (!endpoint) throw unauthenticated('is not known');
    if (endpoint.state === 'revoked') throw unauthenticated('was revoked');
    if (endpoint.expiresAt !== null && endpoint.expiresAt <= clock.now()) throw unauthenticated('has expired');
    return new EndpointConsumer(endpoint, { todos, operator, announcements, hooksOf: (owner) => notifyHooks.of(owner) });
  }

  ingest(request: InboundRequest): Promise<IngestResult | AnsweredChallenge> {
    return this.ports.inbound.ingest(request);
  }

  admit(request: Pick<InboundRequest, 'token' | 'address'>): Promise<InboundAdmission> {
    return this.ports.inbound.admit(request);
  }

  counts(): Promise<TodoCount[]> {
    return this.ports.operator.counts();
  }

  onReady(hook: ReadyHook): () => void {
    return this.ports.edges.listen(hook);
  }

  #announced({ todo, row }: Moved, reason: string): Todo {
    this.ports.announcements.announce([row], reason);
    return todo;
  }
}

function unauthenticated(why: string): BellhopError {
  return new BellhopError('UNAUTHENTICATED', `The credential ${why}. Ask the operator to vend an endpoint: \`bellhop endpoint vend\`.`);
}

/** @throws InputError `INVALID_INPUT` for a scope that names no organization: without types it is easily left out. */
function organizationOf(scope: BoardScope | undefined): string {
  if (scope?.organizationId === undefined) {
    throw new InputError('INVALID_INPUT', 'scope: { organizationId } is needed as the last argument; whose board is it?', {
      path: 'scope',
    });
  }
  return checkName(scope.organizationId, 'scope.organizationId');
}

/** What no store can hold names nothing. */
function isName(text: unknown): text is string {
  try {
    checkName(text, 'endpoint');
    return true;
  } catch {
    return false;
  }
}

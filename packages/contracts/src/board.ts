import { token } from '@bellhop/kernel';
import type { BoardConsumer, Pushed, PushInput, TodoFilter } from './board-consumer.js';
import type { BoardEndpoint, VendedEndpoint, VendInput } from './board-endpoint.js';
import type { OperatorHooks } from './board-notify-hook.js';
import type { ReadyHook } from './board-wakes.js';
import type { BoardWebhooks, InboundRequest, IngestResult } from './board-webhook.js';
import type { Todo, TodoDetail, TodoPage } from './todo.js';

/** Whose board an operator works. */
export interface BoardScope {
  readonly organizationId: string;
}

export interface OperatorTodoFilter extends TodoFilter {
  readonly endpointId?: string | undefined;
}

/** What came of todos in one queue name, over all endpoints. */
export interface TodoCount {
  readonly queue: string;
  readonly pending: number;
  readonly claimed: number;
  /** Parked for a retry. */
  readonly parked: number;
  /** Dead letters. */
  readonly dead: number;
  /** Milliseconds since the todo that is pending longest became so; null when none is. */
  readonly oldestPendingMs: number | null;
}

/**
 * The board as its operators see it: an organization, and everything that is its. Ids of another organization are `NOT_FOUND`. A consumer comes in
 * by `authenticate`, a source of events by `ingest`.
 */
export interface IBoard {
  /** @throws InputError `INVALID_INPUT`; BellhopError `SLUG_TAKEN`. */
  vend(input: VendInput, scope: BoardScope): Promise<VendedEndpoint>;
  /** All of them, oldest first, revoked ones too. */
  endpoints(scope: BoardScope): Promise<BoardEndpoint[]>;
  /** @param idOrSlug either. @throws BellhopError `NOT_FOUND`. */
  endpoint(idOrSlug: string, scope: BoardScope): Promise<BoardEndpoint>;
  /** Ends the credential at once; what is pending, parked or claimed becomes dead letters. Revoking twice does nothing. */
  revoke(idOrSlug: string, scope: BoardScope): Promise<BoardEndpoint>;
  hooks(idOrSlug: string, scope: BoardScope): Promise<OperatorHooks>;
  webhooks(idOrSlug: string, scope: BoardScope): Promise<BoardWebhooks>;

  /** Makes a todo that passes the gate: it comes with a verified event of the source `operator`. */
  push(idOrSlug: string, input: PushInput, scope: BoardScope): Promise<Pushed>;
  listTodos(filter: OperatorTodoFilter, scope: BoardScope): Promise<TodoPage>;
  getTodo(id: string, scope: BoardScope): Promise<TodoDetail>;
  /** As a consumer's retry. */
  retry(id: string, scope: BoardScope): Promise<Todo>;
  /** Lets a todo out of quarantine, into the queue it was meant for. @throws BellhopError `NOT_FOUND`, `TODO_CONFLICT`. */
  releaseQuarantined(id: string, scope: BoardScope): Promise<Todo>;
  /** Ends a todo in quarantine as done, unseen by any consumer. @throws BellhopError `NOT_FOUND`, `TODO_CONFLICT`. */
  discardQuarantined(id: string, scope: BoardScope): Promise<Todo>;

  /** @param credential `sbk_…`. @throws BellhopError `UNAUTHENTICATED`: unknown, revoked or expired. */
  authenticate(credential: string): Promise<BoardConsumer>;

  /**
   * Stores an event and its todos, in one transaction.
   *
   * @throws BellhopError `NOT_FOUND` for an unknown token, `UNAUTHENTICATED` for a signature that is not the source's, `RATE_LIMITED`,
   * `PAYLOAD_TOO_LARGE` over 5 MiB, `ENCRYPTION_KEY` or `SEALED_VALUE` where the secret cannot be read; InputError `INVALID_INPUT` for a body that is no JSON. Nothing is stored then.
   */
  ingest(request: InboundRequest): Promise<IngestResult>;

  /** Counts over every organization, for metrics: live todos and dead letters. */
  counts(): Promise<TodoCount[]>;

  /** Called after the commit of everything that made a todo pending that passes the gate. @returns the call that ends it. */
  onReady(hook: ReadyHook): () => void;
}

export const BOARD = token<IBoard>('BOARD');

import { token } from '@bellhop/kernel';
import type { BoardConsumer, Pushed, PushInput, TodoFilter } from './board-consumer.js';
import type { BoardEndpoint, VendedEndpoint, VendInput } from './board-endpoint.js';
import type { OperatorHooks } from './board-notify-hook.js';
import type { ReadyHook } from './board-wakes.js';
import type { AnsweredChallenge, BoardWebhooks, InboundRequest, IngestResult } from './board-webhook.js';
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

/** A request whose address and token were looked at: it is worth reading the body. */
export interface InboundAdmission {
  /** Whom the limits count its address as: an IPv6 address by its /64. */
  readonly countedAs: string;
  /**
   * What is left of `IBoard.ingest`. The webhook may have gone while the body came in: `NOT_FOUND`.
   *
   * @throws BellhopError, InputError as `IBoard.ingest`, but `RATE_LIMITED`.
   */
  ingest(request: Pick<InboundRequest, 'headers' | 'body'>): Promise<IngestResult | AnsweredChallenge>;
}

/**
 * The board as its operators see it: an organization, and everything that is its. Ids of another organization are `NOT_FOUND`. A consumer comes in
 * by `authenticate`, a source of events by `ingest`, or by `admit` where its body is yet to be read.
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
  /** Payloads and results over 4 096 bytes are left out: {@link getTodo} has them. */
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
   * Stores an event and its todos, in one transaction. Asks in this order: the address, the size, the token, the signature, the body.
   *
   * @throws BellhopError `NOT_FOUND` for an unknown token, or where no endpoint that its todos would go to is active, `UNAUTHENTICATED` for a signature that is not the source's, `RATE_LIMITED`,
   * `PAYLOAD_TOO_LARGE` over 5 MiB, `ENCRYPTION_KEY` or `SEALED_VALUE` where the secret cannot be read; InputError `INVALID_INPUT` for a body that is no JSON. Nothing is stored then.
   */
  ingest(request: InboundRequest): Promise<IngestResult | AnsweredChallenge>;
  /**
   * The part of `ingest` that needs no body: the address and the token, asked once. For whoever still has the body to read.
   *
   * @throws BellhopError `RATE_LIMITED`, `NOT_FOUND`.
   */
  admit(request: Pick<InboundRequest, 'token' | 'address'>): Promise<InboundAdmission>;

  /** Counts over every organization, for metrics: live todos and dead letters. */
  counts(): Promise<TodoCount[]>;

  /** Called after the commit of everything that made a todo pending that passes the gate. @returns the call that ends it. */
  onReady(hook: ReadyHook): () => void;
}

export const BOARD = token<IBoard>('BOARD');

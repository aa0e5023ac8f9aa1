import type { BoardEndpoint } from './board-endpoint.js';
import type { BoardHooks } from './board-notify-hook.js';
import type { ClaimedTodo, Todo, TodoDetail, TodoPage, TodoState } from './todo.js';

export interface TodoFilter {
  /** One queue of the scope. Default: all of them. */
  readonly queue?: string | undefined;
  readonly state?: TodoState | undefined;
  /** From a page's `nextCursor`. */
  readonly cursor?: string | undefined;
  /** 1 to 200, default 50. */
  readonly limit?: number | undefined;
}

export interface ClaimInput {
  /** Milliseconds of the lease: 1 000 to 86 400 000. Default: the endpoint's, else 300 000. */
  readonly leaseMs?: number | undefined;
  /** Hand out a token that heartbeat, complete, fail and release then need: tells two workers on one credential apart. Default false. */
  readonly requireFence?: boolean | undefined;
  /** Who claims, for the history, and for todos that are assigned: at most 128 characters. */
  readonly claimant?: string | undefined;
}

export interface ClaimNextInput extends ClaimInput {
  /** Only from these queues of the scope: 1 to 100. Default: all of it. */
  readonly queues?: readonly string[] | undefined;
}

export interface HeldInput {
  /** Of a claim with `requireFence`. One where there is none, none where there is one, or a stale one is a conflict. */
  readonly leaseToken?: string | undefined;
}

export interface HeartbeatInput extends HeldInput {
  /** As of a claim; a bare heartbeat goes back to the default, whatever the claim asked for. */
  readonly leaseMs?: number | undefined;
}

export interface SettleInput extends HeldInput {
  /** Any JSON value of at most 256 KiB. */
  readonly result?: unknown;
  /** For the history: clipped to 2 048 bytes. */
  readonly summary?: string | undefined;
}

export interface ReleaseInput extends HeldInput {
  readonly summary?: string | undefined;
}

export interface PushInput {
  /** A queue of the endpoint's scope. */
  readonly queue: string;
  /** 1 to 255 characters. */
  readonly title: string;
  /** Any JSON value of at most 256 KiB. Default null. */
  readonly payload?: unknown;
  /** 1 to 255 characters. */
  readonly kind?: string | undefined;
  /** While a todo of the endpoint with this key is alive (pending, claimed or parked) another one is not made. 1 to 255 characters. */
  readonly idempotencyKey?: string | undefined;
  /** 1 to 128 characters. */
  readonly assignee?: string | undefined;
  /** 1 to 100, default 5. */
  readonly maxAttempts?: number | undefined;
}

export interface Pushed {
  /** The new todo's id, or that of the one which holds the key. */
  readonly id: string;
  readonly deduped: boolean;
}

/**
 * The board as one credential sees it. Each call needs its verb (`FORBIDDEN` without) and works the queues of the scope; a todo of another
 * endpoint or queue is `NOT_FOUND`, as if it did not exist. The credential was accepted when it came in: for whoever keeps this beyond one request, a
 * revocation or expiry shows in that there is nothing left to claim, not in a refusal.
 */
export interface BoardConsumer {
  readonly endpoint: BoardEndpoint;

  /** Payloads and results over 4 096 bytes are left out: {@link getTodo} has them, and a claim. */
  listTodos(filter?: TodoFilter): Promise<TodoPage>;
  getTodo(id: string): Promise<TodoDetail>;
  /** Claims this very todo. @throws BellhopError `NOT_FOUND`; `TODO_CONFLICT` when it is not claimable. */
  claim(id: string, input?: ClaimInput): Promise<ClaimedTodo>;
  /**
   * Claims the oldest claimable todo; null when there is none. On Postgres it passes by what others are claiming, and tries again up to ten times while
   * there is something: null may then also mean that others held all it looked at, each time.
   */
  claimNext(input?: ClaimNextInput): Promise<ClaimedTodo | null>;
  /** Extends the lease. @throws BellhopError `NOT_FOUND`, `TODO_CONFLICT`: the lease ran out, the token is not its, nobody holds it. */
  heartbeat(id: string, input?: HeartbeatInput): Promise<Todo>;
  /** @throws BellhopError as {@link heartbeat}. */
  complete(id: string, input?: SettleInput): Promise<Todo>;
  /** Parks it for its next attempt, or makes it a dead letter. @throws BellhopError as {@link heartbeat}. */
  fail(id: string, input?: SettleInput): Promise<Todo>;
  /** Hands it back; the attempt stays counted. @throws BellhopError as {@link heartbeat}. */
  release(id: string, input?: ReleaseInput): Promise<Todo>;
  /** Takes a failed todo back to pending, with all its attempts before it. @throws BellhopError `NOT_FOUND`, `TODO_CONFLICT`. */
  retry(id: string): Promise<Todo>;
  /** Makes a todo that does not pass the gate: it wakes nobody. */
  push(input: PushInput): Promise<Pushed>;

  /** The endpoint's own notify hooks: needs the verb `notify_hooks`. */
  readonly hooks: BoardHooks;
}

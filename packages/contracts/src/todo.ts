/**
 * The states of a todo. `pending` (claimable) → `claimed` (held for a lease) → `done`, or `failed`: parked until `nextRetryAt` where attempts are
 * left, a dead letter (`nextRetryAt` null) where none are. A lapsed lease, a due retry, a release and a manual retry lead back to `pending`.
 */
export const TODO_STATES = ['pending', 'claimed', 'done', 'failed'] as const;
export type TodoState = (typeof TODO_STATES)[number];

/** The queue of what waits for a person: nobody claims from it, and nothing in it wakes anybody. No scope or target may name it. */
export const QUARANTINE_QUEUE = 'quarantine';

/** A todo as it is stored. Times are epoch milliseconds. */
export interface Todo {
  /** `td_` and a UUID. */
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly queue: string;
  readonly state: TodoState;
  /** Where it came from: `github`, `operator`, `endpoint` … */
  readonly source: string;
  /** What happened, in the words of its source: `push`, `invoice.paid`. */
  readonly kind: string | null;
  readonly title: string;
  /** Any JSON value. */
  readonly payload: unknown;
  /** The event it was made of; null once retention removed that. */
  readonly eventId: string | null;
  /** Whether it may wake anybody: decided once, when it was made. */
  readonly gate: boolean;
  readonly idempotencyKey: string | null;
  /** Only a claim that names this claimant gets it; null: any. */
  readonly assignee: string | null;
  /** Who claimed it last, as the claim named itself. */
  readonly claimant: string | null;
  readonly leaseUntil: number | null;
  /** Claims since it was made, or last retried by hand. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Claims in all; never reset. */
  readonly attemptsTotal: number;
  readonly nextRetryAt: number | null;
  /** What its consumer handed in: any JSON value. */
  readonly result: unknown;
  /** Why it is in quarantine, or was: `untrusted_sender`. */
  readonly quarantineReason: string | null;
  readonly createdAt: number;
  /** When it last became pending. */
  readonly pendingSince: number;
  readonly updatedAt: number;
  readonly claimedAt: number | null;
  readonly completedAt: number | null;
}

/** How an attempt ended. `lease_expired`: another claim took it over; `reaped`: the reaper did. */
export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'released', 'lease_expired', 'reaped', 'revoked'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** What became of the todo with the end of the attempt. */
export type AttemptDisposition = 'done' | 'retry_scheduled' | 'requeued' | 'dead_lettered';

/** One claim of a todo, from its begin to its end. At most one of a todo is open. */
export interface TodoAttempt {
  /** 1, 2, 3 … over the todo's whole life. */
  readonly seq: number;
  readonly claimant: string | null;
  readonly claimedAt: number;
  readonly heartbeatAt: number | null;
  readonly leaseUntil: number;
  readonly endedAt: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly disposition: AttemptDisposition | null;
  /** What the consumer said of it: at most 2 048 bytes, clipped. */
  readonly summary: string | null;
}

/** A todo with its newest attempts, the newest first: at most 20. */
export interface TodoDetail extends Todo {
  readonly attempts: readonly TodoAttempt[];
}

/** A claimed todo, as its consumer gets it. */
export interface ClaimedTodo extends Todo {
  readonly state: 'claimed';
  readonly leaseUntil: number;
  /** The attempt this claim opened. */
  readonly attemptSeq: number;
  /** Of a claim with `requireFence`, shown once: heartbeat, complete, fail and release need exactly it. Null without. */
  readonly leaseToken: string | null;
  /** The closed attempts before it, newest first: at most 5. */
  readonly earlierAttempts: readonly TodoAttempt[];
}

/** A todo as lists show it: what is long is left out, so that a page of 200 has a bound in bytes. Whoever asks for one todo gets all of it. */
export interface ListedTodo extends Todo {
  /** The payload is over 4 096 bytes of JSON: `payload` is null here. */
  readonly payloadOmitted: boolean;
  /** The result is over 4 096 bytes of JSON: `result` is null here. */
  readonly resultOmitted: boolean;
}

export interface TodoPage {
  /** Newest first. */
  readonly items: ListedTodo[];
  readonly nextCursor: string | null;
}

/**
 * The states of a job. `scheduled` (not due) → `pending` (claimable) → `running` → `completed`, `dead`, or back to `scheduled` for a retry;
 * `scheduled` and `pending` → `cancelled`. The last three are final, but for `replay`, which takes a dead job back to `pending`.
 */
export const JOB_STATUSES = ['scheduled', 'pending', 'running', 'completed', 'dead', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** How long a failed job waits for its next attempt. */
export interface JobBackoff {
  /** `exponential` doubles with each attempt. Default `exponential`. */
  readonly type: 'exponential' | 'fixed';
  /** Milliseconds before the second attempt. 0 to 31 536 000 000, default 1 000. */
  readonly delayMs: number;
  /** Longest wait, in milliseconds. Default 3 600 000. */
  readonly maxDelayMs: number;
  /** `full` draws the wait between 0 and the computed one, so that what failed together does not come back together. Default `full`. */
  readonly jitter: 'full' | 'none';
}

/** A job as it is stored. Times are epoch milliseconds. */
export interface Job {
  readonly id: string;
  readonly organizationId: string;
  readonly queue: string;
  readonly status: JobStatus;
  /** Any JSON value. */
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Lower first: each point puts a job 6 s behind one of its due time, so that no steady stream of urgent jobs starves it. */
  readonly priority: number;
  /** Attempts begun: counted when claimed. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly backoff: JobBackoff;
  /** Milliseconds an attempt may take; 0: no limit. */
  readonly timeoutMs: number;
  readonly dueAt: number;
  readonly groupKey: string | null;
  readonly idempotencyKey: string | null;
  /** What the handler last reported: a whole number, 0 to 100. */
  readonly progress: number;
  readonly claimedBy: string | null;
  readonly lockedUntil: number | null;
  /** The last error, at most 8 KiB, U+0000 and lone surrogates stripped. A success after it leaves it: it says why there was more than one attempt. */
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it became completed, dead or cancelled. */
  readonly finishedAt: number | null;
}

/** A job held by a claim. Whoever holds the token, and only that claim, may complete, fail, renew or release it. */
export interface ClaimedJob extends Job {
  readonly status: 'running';
  readonly claimToken: string;
  readonly lockedUntil: number;
  /** Its organization and group, as the round robin of claims knows them: lanes are served in the byte order of this text. */
  readonly lane: string;
  /** Jobs of its group that may run at once; null: no limit. Where one ends, another may begin. */
  readonly groupConcurrency: number | null;
}

/** What came of an attempt. */
export type JobResult =
  | { readonly outcome: 'completed' }
  /** Failed, to be tried again at this epoch millisecond; pending at once when that has come. A claim whose attempts are used up is `dead` instead: the caller decides. */
  | { readonly outcome: 'retry'; readonly error: string; readonly dueAt: number }
  | { readonly outcome: 'dead'; readonly error: string }
  /** Later, by the handler's own wish: the attempt does not count. */
  | { readonly outcome: 'snooze'; readonly dueAt: number };

/** A job to be stored: checked, with every default filled in. */
export interface NewJob {
  readonly id: string;
  readonly organizationId: string;
  readonly queue: string;
  /** JSON text, at most 256 KiB. */
  readonly dataText: string;
  /** JSON text of an object. */
  readonly metadataText: string | null;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly backoff: JobBackoff;
  readonly timeoutMs: number;
  readonly dueAt: number;
  readonly groupKey: string | null;
  /** Jobs of the queue and the organization's group that may run at once, in the whole store; null: no limit. */
  readonly groupConcurrency: number | null;
  readonly idempotencyKey: string | null;
  /** Epoch milliseconds before which the key of the completed job holds; null without a key. */
  readonly idempotencyUntil: number | null;
}

export const JOB_LEASE_EXPIRED = 'lease expired';

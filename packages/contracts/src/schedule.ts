/** When a schedule fires. */
export type ScheduleTiming =
  /** Five or six cron fields. `timeZone` is an IANA name, default `UTC`. In a DST gap it fires once at the next valid instant, in an overlap once. */
  | { readonly cron: string; readonly timeZone?: string }
  /** Every so many milliseconds from `startAt` (default: when it is made). 1 000 to 31 536 000 000. */
  | { readonly everyMs: number; readonly startAt?: number }
  /** Once, at this epoch millisecond. In the past: as its misfire policy says. */
  | { readonly once: number };

/** What happens to fire times that passed while nobody was there: none is run, one for all of them, or each, the latest `cap` at most. */
export type MisfirePolicy = 'skip' | 'once' | { readonly all: number };

/** What happens when a fire time comes while the job of the one before is not finished: both run, the new one is left out, or it waits. */
export type OverlapPolicy = 'allow' | 'skip' | 'queue';

export interface ScheduleSpec {
  readonly timing: ScheduleTiming;
  readonly queue: string;
  /** The data of each job. Any JSON value. */
  readonly data?: unknown;
  /** Default `default`. */
  readonly organizationId?: string;
  /** Default `once`. */
  readonly misfire?: MisfirePolicy;
  /** Default `allow`. */
  readonly overlap?: OverlapPolicy;
  /** Milliseconds by which each fire is delayed at random, at most. 0 to 3 600 000, default 0. */
  readonly jitterMs?: number;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly timeoutMs?: number;
}

/** A schedule as it is stored. Times are epoch milliseconds. */
export interface Schedule {
  readonly name: string;
  readonly organizationId: string;
  readonly spec: ScheduleSpec;
  readonly paused: boolean;
  /** Null once it will not fire again. */
  readonly nextFireAt: number | null;
  readonly lastFireAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One fire of a schedule: there is exactly one for a (name, fire time), whoever noticed it. */
export interface ScheduleRun {
  readonly name: string;
  readonly fireAt: number;
  /** `skipped`: by the overlap or the misfire policy. */
  readonly outcome: 'published' | 'skipped' | 'waiting';
  readonly reason: string | null;
  readonly jobId: string | null;
  readonly createdAt: number;
}

/** When a schedule fires. */
export type ScheduleTiming =
  /**
   * Five cron fields, or six with seconds first, of at most 1 000 characters together. `timeZone` is an IANA name, default `UTC`. It fires once at each local time that it names: in a
   * DST gap once, at the next valid instant; in an overlap once, the first time. For a steady beat across both, stay in UTC or use `everyMs`.
   */
  | { readonly cron: string; readonly timeZone?: string }
  /**
   * At `startAt` and every so many milliseconds after it, those fire times that come after it is made. Default: when it is made, so the first is
   * one interval later. 1 000 to 31 536 000 000.
   */
  | { readonly everyMs: number; readonly startAt?: number }
  /** Once, at this epoch millisecond. In the past: as its misfire policy says. */
  | { readonly once: number };

/**
 * What happens to fire times that passed while nobody was there, or the schedule was paused: none is run, one for all of them (at the latest),
 * or each, the latest `all` at most (1 to 1 000). It applies when the earliest of them is over a minute late; until then each is run.
 */
export type MisfirePolicy = 'skip' | 'once' | { readonly all: number };

/**
 * What happens when a fire time comes while the job of the one before is not finished: both run, the new one is left out, or it waits. At most 100
 * wait; more are left out.
 */
export type OverlapPolicy = 'allow' | 'skip' | 'queue';

export interface ScheduleSpec {
  readonly timing: ScheduleTiming;
  readonly queue: string;
  /** The data of each job. Any JSON value, default null. Its metadata say `{ schedule, fireAt }`. */
  readonly data?: unknown;
  /** Default `default`. */
  readonly organizationId?: string;
  /** Default `once`. */
  readonly misfire?: MisfirePolicy;
  /** Default `allow`. */
  readonly overlap?: OverlapPolicy;
  /** Milliseconds by which the job of each fire is delayed at random, at most. 0 to 3 600 000, default 0. */
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

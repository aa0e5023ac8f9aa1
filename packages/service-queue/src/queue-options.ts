import { z } from 'zod';

/** Options of `queuePlugin`. */
export interface QueuePluginOptions {
  /**
   * Where jobs and schedules are kept. `sql` (default): in the store. `memory`: in this process, for tests and deployments that can lose them. A
   * bound `JOB_STORE` wins over both.
   */
  readonly jobs?: 'sql' | 'memory' | undefined;
  /** Run the subscriptions of this process, and what every queue needs (due jobs, expired leases, schedules). Default true; false where other processes work. */
  readonly work?: boolean | undefined;
  /** Handlers that run at once in this process, over all subscriptions. 1 to 10 000, default 100. */
  readonly maxConcurrency?: number | undefined;
  /** Milliseconds between two ticks while there is work. 1 to 3 600 000, default 500. */
  readonly workIntervalMs?: number | undefined;
  /** The longest an idle worker waits, in milliseconds. 1 to 3 600 000, default 30 000; at or below the interval there is no backoff. */
  readonly workMaxIdleIntervalMs?: number | undefined;
  /** Milliseconds that handlers may still take when the kernel stops. 0 to 600 000, default 8 000: less than a kernel gives a plugin to stop. */
  readonly stopDeadlineMs?: number | undefined;
  /**
   * Milliseconds that completed and cancelled jobs are kept. 0 to 604 800 000, default 604 800 000: seven days. A job whose idempotency key holds is
   * kept until that is over. What is due to go is gone with the next tick of the reaper: without `reaperPlugin` everything is kept.
   */
  readonly keepCompletedMs?: number | undefined;
  /** Milliseconds that dead jobs are kept, to be looked at and replayed. 86 400 000 (a day) to 31 536 000 000 (a year), default 2 592 000 000: thirty days. */
  readonly keepDeadMs?: number | undefined;
  /** Milliseconds that the history of schedules is kept. 3 600 000 (an hour) to 31 536 000 000 (a year), default 2 592 000 000: thirty days. */
  readonly keepScheduleRunsMs?: number | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const queueOptionsSchema = z.strictObject({
  jobs: z.enum(['sql', 'memory']).default('sql'),
  work: z.boolean().default(true),
  maxConcurrency: z.number().int().min(1).max(10_000).default(100),
  workIntervalMs: z.number().int().min(1).max(HOUR_MS).default(500),
  workMaxIdleIntervalMs: z.number().int().min(1).max(HOUR_MS).default(30_000),
  stopDeadlineMs: z.number().int().min(0).max(600_000).default(8_000),
  keepCompletedMs: z
    .number()
    .int()
    .min(0)
    .max(7 * DAY_MS)
    .default(7 * DAY_MS),
  keepDeadMs: z
    .number()
    .int()
    .min(DAY_MS)
    .max(365 * DAY_MS)
    .default(30 * DAY_MS),
  keepScheduleRunsMs: z
    .number()
    .int()
    .min(HOUR_MS)
    .max(365 * DAY_MS)
    .default(30 * DAY_MS),
});

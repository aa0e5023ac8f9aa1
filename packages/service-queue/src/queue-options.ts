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
}

const HOUR_MS = 3_600_000;

export const queueOptionsSchema = z.strictObject({
  jobs: z.enum(['sql', 'memory']).default('sql'),
  work: z.boolean().default(true),
  maxConcurrency: z.number().int().min(1).max(10_000).default(100),
  workIntervalMs: z.number().int().min(1).max(HOUR_MS).default(500),
  workMaxIdleIntervalMs: z.number().int().min(1).max(HOUR_MS).default(30_000),
  stopDeadlineMs: z.number().int().min(0).max(600_000).default(8_000),
});

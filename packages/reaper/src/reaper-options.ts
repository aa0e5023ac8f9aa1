import { z } from 'zod';

/** Options of `reaperPlugin`. */
export interface ReaperPluginOptions {
  /** Ask and run by itself. Default true; false where other processes of the deployment do, or for ticks by hand. */
  readonly reap?: boolean | undefined;
  /** Milliseconds between two ticks, and up to a tenth more. 1 000 to 86 400 000, default 30 000. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds that a duty may take before it is told to end and left behind. 1 000 to 86 400 000, default 60 000. */
  readonly dutyTimeoutMs?: number | undefined;
  /** Milliseconds that a duty has to end when the kernel stops. 0 to 600 000, default 5 000: less than a kernel gives a plugin to stop. */
  readonly stopDeadlineMs?: number | undefined;
}

const DAY_MS = 86_400_000;

export const reaperOptionsSchema = z.strictObject({
  reap: z.boolean().default(true),
  intervalMs: z.number().int().min(1_000).max(DAY_MS).default(30_000),
  dutyTimeoutMs: z.number().int().min(1_000).max(DAY_MS).default(60_000),
  stopDeadlineMs: z.number().int().min(0).max(600_000).default(5_000),
});

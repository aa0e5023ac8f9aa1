import type { NotificationChannel } from '@bellhop/contracts';
import { z } from 'zod';

/** Options of `messagingPlugin`. */
export interface MessagingPluginOptions {
  /**
   * Where deliveries wait. `sql` (default): in the store, in one transaction with their event. `memory`: in this process, for tests and
   * deployments that can lose them. `none`: nowhere, an emit delivers at once. A bound `NOTIFICATION_OUTBOX` wins over `sql` and `memory`.
   */
  readonly outbox?: 'sql' | 'memory' | 'none' | undefined;
  /** Run the dispatcher in this process. Default true; false where another process of the deployment delivers. */
  readonly dispatch?: boolean | undefined;
  /** Milliseconds between two ticks while there is work. 1 to 3 600 000, default 500. */
  readonly dispatchIntervalMs?: number | undefined;
  /** The longest an idle dispatcher waits, in milliseconds. 1 to 3 600 000, default 30 000; at or below the interval there is no backoff. */
  readonly dispatchMaxIdleIntervalMs?: number | undefined;
  /** Partitions walked with a lock service bound, or by an outbox without a survey. 1 to 4 096, default 8. */
  readonly partitionCount?: number | undefined;
  /** Rows per claim. 1 to 1 000, default 32. */
  readonly batchSize?: number | undefined;
  /** Sends in flight. 1 to 1 000, default 16. */
  readonly concurrency?: number | undefined;
  /** Sends in flight per channel: `{ email: 4 }`. Default: only `concurrency`. */
  readonly channelConcurrency?: Readonly<Record<string, number>> | undefined;
  /** Milliseconds after which the claims of a dead process are taken over; a live one renews. 100 to 3 600 000, default 5 000. */
  readonly claimTtlMs?: number | undefined;
  /** Milliseconds a send may take; then it is aborted and tried again later. 100 to 3 600 000, default 60 000. */
  readonly sendTimeoutMs?: number | undefined;
  /** Milliseconds that sends may still take when the kernel stops. 0 to 600 000, default 8 000: less than a kernel gives a plugin to stop. */
  readonly stopDeadlineMs?: number | undefined;
  /** Channels besides the built-in `inbox` and `log`; one with the id of a built-in takes its place. */
  readonly channels?: readonly NotificationChannel[] | undefined;
}

const isChannel = (value: unknown): value is NotificationChannel =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as NotificationChannel).id === 'string' &&
  typeof (value as NotificationChannel).send === 'function';

const HOUR_MS = 3_600_000;

export const messagingOptionsSchema = z.strictObject({
  outbox: z.enum(['sql', 'memory', 'none']).default('sql'),
  dispatch: z.boolean().default(true),
  dispatchIntervalMs: z.number().int().min(1).max(HOUR_MS).default(500),
  dispatchMaxIdleIntervalMs: z.number().int().min(1).max(HOUR_MS).default(30_000),
  partitionCount: z.number().int().min(1).max(4_096).default(8),
  batchSize: z.number().int().min(1).max(1_000).default(32),
  concurrency: z.number().int().min(1).max(1_000).default(16),
  channelConcurrency: z.record(z.string(), z.number().int().min(1).max(1_000)).default({}),
  claimTtlMs: z.number().int().min(100).max(HOUR_MS).default(5_000),
  sendTimeoutMs: z.number().int().min(100).max(HOUR_MS).default(60_000),
  stopDeadlineMs: z.number().int().min(0).max(600_000).default(8_000),
  channels: z.array(z.custom<NotificationChannel>(isChannel, 'expected a channel: an object with `id` and `send`')).default([]),
});

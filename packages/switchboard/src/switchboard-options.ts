import { type OutboundPolicy, outboundPolicySchema } from '@bellhop/outbound';
import { z } from 'zod';
import { DEFAULT_HOOK_MAX } from './stores/notify-hook-store.js';

/** Options of `switchboardPlugin`. */
export interface SwitchboardPluginOptions {
  /**
   * 32 bytes in base64, under which the secrets of webhooks and notify hooks are kept (`openssl rand -base64 32`). Without one no such secret can be
   * kept: signed inbound webhooks and notify hooks cannot be made. It is never generated.
   */
  readonly encryptionKey?: string | undefined;
  /** What notify hooks may call besides public https addresses. Default: nothing. */
  readonly outbound?: OutboundPolicy | undefined;
  /** Notify hooks of one endpoint: 0 to 100, default 5. 0 switches hooks off: none is made, none is called. */
  readonly maxNotifyHooks?: number | undefined;
  /**
   * Milliseconds that events are kept, and todos in quarantine. 86 400 000 (a day) to 31 536 000 000 (a year), default 2 592 000 000: thirty days. A
   * webhook delivery that comes again later than that makes todos again. What is old goes with the reaper's tick: without `reaperPlugin` all is kept.
   */
  readonly keepEventsMs?: number | undefined;
  /** Milliseconds that finished todos and dead letters are kept. As `keepEventsMs`. */
  readonly keepTodosMs?: number | undefined;
}

const DAY_MS = 86_400_000;
const kept = z
  .number()
  .int()
  .min(DAY_MS)
  .max(365 * DAY_MS)
  .default(30 * DAY_MS);

export const switchboardOptionsSchema = z.strictObject({
  encryptionKey: z.string().optional(),
  outbound: outboundPolicySchema.optional(),
  maxNotifyHooks: z.number().int().min(0).max(100).default(DEFAULT_HOOK_MAX),
  keepEventsMs: kept,
  keepTodosMs: kept,
});

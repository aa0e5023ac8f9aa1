import { type Clock, type Logger, token } from '@bellhop/kernel';
import type { NotificationPayload, Severity } from './delivery.js';

/** What a channel is asked to send: one notification, or one digest, to one recipient. */
export interface ChannelDelivery {
  /** Stable across retries: the idempotency key. */
  readonly deliveryId: string;
  readonly notificationId: string;
  readonly organizationId: string;
  readonly recipientId: string;
  readonly topic: string | null;
  readonly title: string;
  readonly body: string;
  readonly severity: Severity;
  readonly actionUrl: string | null;
  readonly payload: NotificationPayload;
  /** 1 for the first. */
  readonly attempt: number;
  /** When the notification was emitted, epoch milliseconds. */
  readonly createdAt: number;
}

export interface ChannelContext {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborts when the claim is lost and when the dispatcher stops. */
  readonly signal: AbortSignal;
  /** The delivery's id: the receiver recognises a repeat by it. */
  readonly idempotencyKey: string;
}

export interface SendResult {
  readonly ok: boolean;
  readonly externalId?: string;
  readonly error?: string;
  /** How long a rate-limited channel wants to be left alone. */
  readonly retryAfterMs?: number;
}

/**
 * What a failure means. `retryable`: the ladder. `permanent`: dead. `invalid_recipient`: suppressed. `duplicate`: it was sent before, success.
 * `rate_limited`: waits what the channel said, and the attempt does not count.
 */
export type SendErrorClass = 'retryable' | 'permanent' | 'invalid_recipient' | 'rate_limited' | 'duplicate';

/** A way to reach a recipient. */
export interface NotificationChannel {
  readonly id: string;
  send(ctx: ChannelContext, delivery: ChannelDelivery): Promise<SendResult>;
  /**
   * Asked on failure only, with the thrown error or the result's `error` text. Default, when it throws, and when a promise of it is not
   * settled within 2 s: `retryable`.
   */
  classifyError?(error: unknown): SendErrorClass;
  /**
   * Asked once per emit. False: no row is written and the result lists the channel in `suppressed`. Throwing, and no answer within 2 s, count
   * as available. It is asked outside of the emit's transaction, so on SQLite, where one transaction is open at a time, a probe that reads the
   * store waits for that transaction in vain: the emit goes on after the 2 s.
   */
  isAvailable?(scope: { organizationId: string }): boolean | Promise<boolean>;
}

/** Multi token: channels that other plugins add. */
export const NOTIFICATION_CHANNEL = token<NotificationChannel>('NOTIFICATION_CHANNEL');

/**
 * The states of a delivery. `pending` → `in_flight` (claimed) → `success`, `dead`, `suppressed`, or back to `pending` for a retry;
 * `pending` → `cancelled`. The last four are final.
 */
export const DELIVERY_STATUSES = ['pending', 'in_flight', 'success', 'dead', 'suppressed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What is to be shown. Any JSON object; these keys have a meaning. */
export interface NotificationPayload {
  readonly title?: string;
  readonly body?: string;
  readonly severity?: Severity;
  readonly actionUrl?: string;
  readonly [key: string]: unknown;
}

export interface EnqueueDeliveryInput {
  /** Default: made by the outbox (UUID v7). */
  readonly id?: string;
  readonly notificationId: string;
  readonly recipientId: string;
  readonly channel: string;
  readonly topic?: string;
  readonly payload: NotificationPayload;
  /** Default `default`. */
  readonly organizationId?: string;
  /** Epoch milliseconds before which it is not sent. Default: due at once. */
  readonly notBefore?: number;
  /** Rows with one key, organization and open window are delivered as one message. At most 255 characters. */
  readonly digestKey?: string;
}

/** One recipient × channel of a notification. Times are epoch milliseconds. */
export interface Delivery {
  readonly id: string;
  readonly organizationId: string;
  readonly notificationId: string;
  readonly recipientId: string;
  readonly channel: string;
  readonly topic: string | null;
  readonly payload: NotificationPayload;
  readonly status: DeliveryStatus;
  /** Attempts begun: counted when claimed. */
  readonly attempts: number;
  readonly dueAt: number;
  readonly digestKey: string | null;
  /** 0 to 4095; a partition is a range of slots. */
  readonly slot: number;
  readonly claimedBy: string | null;
  readonly claimedAt: number | null;
  readonly claimExpiresAt: number | null;
  readonly lastAttemptedAt: number | null;
  /** The id the channel's provider gave. */
  readonly externalId: string | null;
  /** The last error, at most 8 KiB, U+0000 and lone surrogates stripped. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A delivery held by a claim. Whoever holds the token, and only that claim, may ack, renew or release it. */
export interface ClaimedDelivery extends Delivery {
  readonly status: 'in_flight';
  readonly claimToken: string;
  readonly claimExpiresAt: number;
  /** Which closing of the digest key this row belongs to; rows of one group carry the same. Null outside digests. */
  readonly digestGroup: string | null;
}

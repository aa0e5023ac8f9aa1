import type { ClaimedDelivery, Delivery, DeliveryStatus, NotificationPayload } from '@bellhop/contracts';

/** A row of `notification_delivery` as the driver gives it. */
export interface DeliveryRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly notification_id: string;
  readonly recipient_id: string;
  readonly channel: string;
  readonly topic: string | null;
  readonly payload: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly due_at: number;
  readonly digest_key: string | null;
  readonly digest_group: string | null;
  readonly slot: number;
  readonly claimed_by: string | null;
  readonly claimed_at: number | null;
  readonly claim_token: string | null;
  readonly claim_expires_at: number | null;
  readonly last_attempted_at: number | null;
  readonly external_id: string | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

const COLUMNS = [
  'id',
  'organization_id',
  'notification_id',
  'recipient_id',
  'channel',
  'topic',
  'payload',
  'status',
  'attempts',
  'due_at',
  'digest_key',
  'digest_group',
  'slot',
  'claimed_by',
  'claimed_at',
  'claim_token',
  'claim_expires_at',
  'last_attempted_at',
  'external_id',
  'error',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof DeliveryRecord)[];

/** The column list of a SELECT or RETURNING, qualified where the statement needs it. */
export function deliveryColumns(table = ''): string {
  return COLUMNS.map((column) => (table ? `${table}.${column}` : column)).join(', ');
}

export function toDelivery(record: DeliveryRecord): Delivery {
  return {
    id: record.id,
    organizationId: record.organization_id,
    notificationId: record.notification_id,
    recipientId: record.recipient_id,
    channel: record.channel,
    topic: record.topic,
    payload: readPayload(record.payload),
    status: record.status,
    attempts: record.attempts,
    dueAt: record.due_at,
    digestKey: record.digest_key,
    slot: record.slot,
    claimedBy: record.claimed_by,
    claimedAt: record.claimed_at,
    claimExpiresAt: record.claim_expires_at,
    lastAttemptedAt: record.last_attempted_at,
    externalId: record.external_id,
    error: record.error,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}

export function toClaimed(record: DeliveryRecord): ClaimedDelivery {
  return {
    ...toDelivery(record),
    status: 'in_flight',
    claimToken: record.claim_token as string,
    claimExpiresAt: record.claim_expires_at as number,
    digestGroup: record.digest_group,
  };
}

/** A payload somebody damaged by hand must not take the rest of its batch down: it reads as empty, and the channel decides. */
function readPayload(text: string): NotificationPayload {
  try {
    const payload: unknown = JSON.parse(text);
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? (payload as NotificationPayload) : {};
  } catch {
    return {};
  }
}

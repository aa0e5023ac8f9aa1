import { token } from '@bellhop/kernel';
import type { NotificationPayload, Severity } from './delivery.js';
import type { Inbox } from './inbox.js';
import type { NotificationChannel } from './notification-channel.js';
import type { CancelFilter, DeliveryFilter, DeliveryPage } from './notification-outbox.js';
import type { TransactionOption } from './transaction.js';

export interface EmitInput {
  /** Dotted event name, 1 to 255 characters: `order.placed`. */
  readonly topic: string;
  /** One recipient or many: a user id, bare or as `user:<id>`. Repeats count once. */
  readonly audience: string | readonly string[];
  /** At most 256 KiB as JSON. */
  readonly payload?: NotificationPayload;
  /** Default `info`. */
  readonly severity?: Severity;
  /** A repeat within (organization, topic) returns the first event and enqueues nothing. 1 to 255 characters. */
  readonly dedupKey?: string;
  /** The record that caused it; gives `actionUrl` when the payload has none. */
  readonly source?: { readonly type: string; readonly id: string };
  readonly actorId?: string;
  /** Default `default`. */
  readonly organizationId?: string;
  /** Default `['inbox']`. */
  readonly channels?: readonly string[];
  /** Epoch milliseconds before which nothing is sent. */
  readonly notBefore?: number;
}

export interface EmitDelivery {
  readonly channel: string;
  readonly recipientId: string;
  readonly ok: boolean;
  /** The delivery row, when it was enqueued. */
  readonly deliveryId?: string;
  readonly externalId?: string;
  readonly error?: string;
}

export interface SuppressedChannel {
  readonly channel: string;
  readonly reason: 'unregistered' | 'unavailable';
}

export interface EmitResult {
  readonly notificationId: string;
  /** A repeat of an earlier dedup key. Null inside a remote libSQL transaction, where it is not known before the commit. */
  readonly deduped: boolean | null;
  readonly deliveries: EmitDelivery[];
  /** Rows the outbox took; 0 when there is none. */
  readonly enqueued: number;
  /** Channels that accepted inline; only without an outbox. */
  readonly delivered: number;
  readonly failed: number;
  readonly suppressed: SuppressedChannel[];
}

/** An emitted event as it is stored. Times are epoch milliseconds. */
export interface NotificationRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly topic: string;
  readonly payload: NotificationPayload | null;
  readonly severity: Severity;
  readonly dedupKey: string | null;
  readonly source: { readonly type: string; readonly id: string } | null;
  readonly actorId: string | null;
  readonly suppressed: SuppressedChannel[];
  readonly createdAt: number;
}

/** The way in: one call makes a notification per recipient and channel. */
export interface Messaging {
  /** @throws InputError on malformed input: nothing was written. */
  emit(input: EmitInput, options?: TransactionOption): Promise<EmitResult>;
  /** As many emits in one transaction. Results in the order of the inputs; one malformed input refuses all. */
  emitMany(inputs: readonly EmitInput[], options?: TransactionOption): Promise<EmitResult[]>;
  /** Null when there is none in that organization. */
  getNotification(id: string, scope: { organizationId: string }): Promise<NotificationRecord | null>;
  listDeliveries(filter: DeliveryFilter & { organizationId: string }): Promise<DeliveryPage>;
  /** pending → cancelled. @returns rows. */
  cancel(filter: CancelFilter & { organizationId: string }): Promise<number>;
  registerChannel(channel: NotificationChannel): void;
  unregisterChannel(id: string): void;
  channels(): readonly string[];
  readonly inbox: Inbox;
}

export const MESSAGING = token<Messaging>('MESSAGING');

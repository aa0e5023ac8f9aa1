import type { NotificationRecord, TransactionOption } from '@bellhop/contracts';

export interface NewEvent {
  readonly record: NotificationRecord;
  /** `record.payload` as checked JSON text; null when there is none. */
  readonly payloadText: string | null;
  /** Nothing is left to do for this event. False: its deliveries are written (or sent) after it, and `markFannedOut` follows. */
  readonly fannedOut: boolean;
}

export interface EventInsert {
  /** The new event's id, or the first one's on a dedup hit. */
  readonly id: string;
  /** Null inside a remote libSQL transaction, when a dedup key was given: a read is impossible there. */
  readonly deduped: boolean | null;
  /** The stored event's flag: on a dedup hit, false says that whoever wrote it has not finished, or died before it could. */
  readonly fannedOut: boolean;
}

/** The rows of emitted events, for an outbox that lives elsewhere and for inline delivery. */
export interface EventStore {
  /**
   * Inserts, and converges on the unique (organization, topic, dedupKey): ON CONFLICT DO NOTHING, then the winner's id. Events without a
   * dedup key never conflict. In one transaction; outcomes in the order of the events; a key repeated within `events` counts as a repeat.
   */
  insert(events: readonly NewEvent[], options?: TransactionOption): Promise<EventInsert[]>;
  /** Records that every delivery of these events is written. Idempotent. */
  markFannedOut(events: readonly { readonly id: string; readonly organizationId: string }[], options?: TransactionOption): Promise<void>;
  /** Null when there is none in that organization. */
  get(id: string, scope: { readonly organizationId: string }): Promise<NotificationRecord | null>;
}

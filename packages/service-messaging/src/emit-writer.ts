import type { NotificationPayload, NotificationRecord, TransactionOption } from '@bellhop/contracts';

/** One delivery row of an emit, with everything decided but its writing. */
export interface PreparedDelivery {
  /** UUID v7, made before the write, so that a retried write converges. */
  readonly id: string;
  readonly recipientId: string;
  readonly channel: string;
  /** Epoch milliseconds: the emit's `notBefore`, else the time of the emit. */
  readonly dueAt: number;
  readonly digestKey: string | null;
  /** 0 to 4095, of the digest key or the id. */
  readonly slot: number;
}

/** An emit whose audience, channels and payload are resolved and checked: what is left is one write. */
export interface PreparedEmit {
  /** The event row. `event.id` is the new id; on a dedup hit the earlier one is kept instead. */
  readonly event: NotificationRecord;
  /** `event.payload` as checked JSON text; null when the emit had none. */
  readonly eventPayloadText: string | null;
  /** The snapshot every delivery row carries, and the same as checked JSON text: rows share it, so it is serialised once. */
  readonly payload: NotificationPayload;
  readonly payloadText: string;
  /** Unique on (recipient, channel). May be empty: the event is written all the same. */
  readonly deliveries: readonly PreparedDelivery[];
}

/** What came of one {@link PreparedEmit}. */
export interface EmitWritten {
  /** The new event's id, or the first one's on a dedup hit. */
  readonly notificationId: string;
  /** Null inside a remote libSQL transaction, when a dedup key was given. */
  readonly deduped: boolean | null;
  /** The rows the outbox holds for this call, in the order of its `deliveries`. Empty on a dedup hit, unless the hit resumed a fan-out that a crash cut short. */
  readonly deliveryIds: readonly string[];
}

/**
 * Writes events with their deliveries.
 *
 * Invariants of every implementation: an event is unique on (organization, topic, dedupKey) by its index, never by a look-up first; once a
 * call resolves, the event and all its rows are there; no crash leaves an event whose retry is refused as a repeat while rows are missing.
 */
export interface EmitWriter {
  /**
   * All calls in one transaction where the store can (the caller's, with `trx`). A repeat of a dedup key within `calls` counts as a repeat.
   *
   * @returns one outcome per call, in their order, after the commit; inside `trx`, after the statements.
   */
  write(calls: readonly PreparedEmit[], options?: TransactionOption): Promise<EmitWritten[]>;
}

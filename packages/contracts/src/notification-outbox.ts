import { token } from '@bellhop/kernel';
import type { ClaimedDelivery, Delivery, DeliveryStatus, EnqueueDeliveryInput } from './delivery.js';
import type { TransactionOption } from './transaction.js';

export interface ClaimOptions {
  readonly nodeId: string;
  /** Rows at most; in `claimDigest`, groups at most. */
  readonly limit: number;
  /** Only rows whose slot lies in this part of the 4096. Default: all. The count may change at run time and strands nothing. */
  readonly partition?: { readonly index: number; readonly count: number };
  /** Only these channels: those mounted on this node. Default: all. */
  readonly channels?: readonly string[];
  /** Milliseconds until the claim expires unless renewed. */
  readonly claimTtlMs: number;
  /** Epoch milliseconds; default: the outbox's clock. */
  readonly now?: number;
  /** The caller has reaped already. Default false: a direct claim reaps for itself, as it always did. */
  readonly skipReap?: boolean;
}

export interface ReapOptions {
  /** For rows that carry no expiry of their own. */
  readonly claimTtlMs: number;
  readonly now?: number;
}

export interface SurveyOptions {
  readonly channels?: readonly string[];
  readonly now?: number;
}

/** What there is to do, from one read whose cost does not grow with the backlog. */
export interface Survey {
  /** A claim has expired. */
  readonly expired: boolean;
  /** A row outside digests is due. */
  readonly due: boolean;
  /** A digest group is due. */
  readonly dueDigests: boolean;
  /** Epoch milliseconds of the earliest row that is due later. */
  readonly nextDueAt?: number;
  /** Epoch milliseconds at which the next live claim expires. */
  readonly nextExpiryAt?: number;
}

/** The outcome of a claim. */
export type AckResult =
  | { readonly success: true; readonly externalId?: string }
  | {
      readonly success: false;
      readonly error: string;
      /** Retry then: back to pending, due at this epoch millisecond. Exactly one of `nextAttemptAt`, `dead`, `suppressed`. */
      readonly nextAttemptAt?: number;
      /** The attempt does not count (a rate limit is not a failure). Only with `nextAttemptAt`. */
      readonly uncounted?: boolean;
      /** Give up. */
      readonly dead?: boolean;
      /** The recipient cannot be reached on this channel. */
      readonly suppressed?: boolean;
    };

/** `lost`: the claim was no longer held, and nothing was written. Normal, so it is data. */
export type AckOutcome = 'acked' | 'lost';

export interface Ack {
  readonly claim: ClaimedDelivery;
  readonly result: AckResult;
}

export interface DeliveryFilter {
  readonly organizationId?: string;
  readonly status?: DeliveryStatus;
  readonly notificationId?: string;
  /** From a page's `nextCursor`. */
  readonly cursor?: string;
  /** 1 to 200, default 50. */
  readonly limit?: number;
}

export interface DeliveryPage {
  /** Newest first. */
  readonly items: Delivery[];
  readonly nextCursor: string | null;
}

/** Which pending rows to cancel. At least one field besides the organization. */
export interface CancelFilter {
  readonly organizationId?: string;
  readonly deliveryId?: string;
  readonly notificationId?: string;
  readonly recipientId?: string;
}

/**
 * The durable rows between `emit` and a channel. The optional members are capabilities: the dispatcher probes them
 * (`if (outbox.reap)`), so an outbox written before them keeps working.
 */
export interface INotificationOutbox {
  /** Unique on (notification, recipient, channel): a repeat returns the first row's id and changes nothing. */
  enqueue(input: EnqueueDeliveryInput, options?: TransactionOption): Promise<string>;
  /** Takes due rows outside digests, earliest due first, then oldest. Exclusive: no two claims hold one row. Counts the attempt. */
  claim(options: ClaimOptions): Promise<ClaimedDelivery[]>;
  /** Takes whole due digest groups, never a part of one. */
  claimDigest(options: ClaimOptions): Promise<ClaimedDelivery[]>;
  /** One compare-and-set on the claim token. An older outbox's void reads as acked. */
  ack(claim: ClaimedDelivery, result: AckResult): Promise<AckOutcome | void>;
  list(filter?: DeliveryFilter): Promise<DeliveryPage>;

  /** Returns every expired claim to pending, store-wide: no partition, no lock, one UPDATE. Each carries the error `claim expired`; those at the attempt limit go dead. @returns rows. */
  reap?(options: ReapOptions): Promise<number>;
  survey?(options: SurveyOptions): Promise<Survey>;
  /** As `enqueue`, in one transaction. Ids in the order of the inputs. */
  enqueueMany?(inputs: readonly EnqueueDeliveryInput[], options?: TransactionOption): Promise<string[]>;
  /** Outcomes in the order of the acks. */
  ackMany?(acks: readonly Ack[]): Promise<AckOutcome[]>;
  /** Extends held claims to now + `claimTtlMs`. */
  renew?(claims: readonly ClaimedDelivery[], claimTtlMs: number): Promise<AckOutcome[]>;
  /** Hands back claims whose send never started: pending again, the attempt not counted. */
  release?(claims: readonly ClaimedDelivery[]): Promise<void>;
  /** pending → cancelled. @returns rows. */
  cancel?(filter: CancelFilter): Promise<number>;
}

/** Attempts a delivery has before it is dead: the first and five retries. */
export const DELIVERY_ATTEMPT_LIMIT = 6;

/** The error of a row whose claim expired: its node died, or was away for longer than the claim's TTL. */
export const CLAIM_EXPIRED = 'claim expired';

/** The slots that partitions are ranges of. */
export const SLOT_COUNT = 4096;

export const NOTIFICATION_OUTBOX = token<INotificationOutbox>('NOTIFICATION_OUTBOX');

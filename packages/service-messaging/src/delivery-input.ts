import {
  type AckResult,
  type CancelFilter,
  type ClaimOptions,
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type EnqueueDeliveryInput,
} from '@bellhop/contracts';
import { errorMessage, InputError } from '@bellhop/kernel';
import {
  checkName,
  checkPageLimit,
  checkPayload,
  checkPositive,
  checkTime,
  DEFAULT_ORGANIZATION,
  decodeCursor,
  type PagePosition,
  stripText,
} from '@bellhop/store';
import { deliverySlot, type SlotRange, slotRange } from './delivery-slot.js';
import { externalIdText } from './send-result.js';

/** An enqueue that passed the door: what a store writes. */
export interface CheckedDelivery {
  readonly id: string;
  readonly organizationId: string;
  readonly notificationId: string;
  readonly recipientId: string;
  readonly channel: string;
  readonly topic: string | null;
  readonly payloadText: string;
  readonly dueAt: number;
  readonly digestKey: string | null;
  readonly slot: number;
}

/**
 * Checks what a store is asked to enqueue, the same for every store.
 *
 * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`; the path names the field.
 */
export function checkDelivery(input: EnqueueDeliveryInput, defaults: { readonly id: () => string; readonly now: number }): CheckedDelivery {
  if (typeof input !== 'object' || input === null) throw new InputError('INVALID_INPUT', 'delivery: an object is needed.', { path: '' });
  const { payload, notBefore, digestKey } = input;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new InputError('INVALID_INPUT', 'payload: a JSON object is needed, such as { title: "Hello" }.', { path: 'payload' });
  }
  const checked = {
    organizationId: input.organizationId === undefined ? DEFAULT_ORGANIZATION : checkName(input.organizationId, 'organizationId'),
    notificationId: checkName(input.notificationId, 'notificationId'),
    recipientId: checkName(input.recipientId, 'recipientId'),
    channel: checkName(input.channel, 'channel'),
    topic: input.topic === undefined ? null : checkName(input.topic, 'topic'),
    digestKey: digestKey === undefined ? null : checkName(digestKey, 'digestKey'),
    payloadText: checkPayload(payload, 'payload'),
    dueAt: notBefore === undefined ? defaults.now : checkTime(notBefore, 'notBefore'),
  };
  const id = input.id === undefined ? defaults.id() : checkName(input.id, 'id');
  return { ...checked, id, slot: deliverySlot(checked.digestKey ?? id) };
}

/** A claim's options, with every default filled in. */
export interface CheckedClaim {
  readonly nodeId: string;
  readonly limit: number;
  readonly slots: SlotRange;
  /** Null: all. */
  readonly channels: readonly string[] | null;
  readonly claimTtlMs: number;
  readonly now: number;
  readonly skipReap: boolean;
}

/** @throws InputError `INVALID_INPUT`; the path names the option. */
export function checkClaimOptions(options: ClaimOptions, now: number): CheckedClaim {
  return {
    nodeId: checkName(options.nodeId, 'nodeId'),
    limit: checkPositive(options.limit, 'limit'),
    slots: slotRange(options.partition),
    channels: options.channels?.map((channel, index) => checkName(channel, `channels[${index}]`)) ?? null,
    claimTtlMs: checkPositive(options.claimTtlMs, 'claimTtlMs'),
    now: options.now === undefined ? now : checkTime(options.now, 'now'),
    skipReap: options.skipReap ?? false,
  };
}

/** What an ack writes into the row. */
export type CheckedAck =
  | { readonly status: 'success'; readonly externalId: string | null; readonly error: null }
  | { readonly status: 'pending'; readonly dueAt: number; readonly uncounted: boolean; readonly error: string }
  | { readonly status: 'dead' | 'suppressed'; readonly error: string };

/**
 * Reads an ack: exactly one of success, `nextAttemptAt`, `dead`, `suppressed`. Its id and error come from providers and are fitted, whatever
 * they are, not refused: an ack that cannot be written makes a delivery that was sent be sent again.
 *
 * @throws InputError `INVALID_INPUT` when it says none of them, or more than one.
 */
export function checkAck(result: AckResult): CheckedAck {
  if (result.success) {
    return { status: 'success', externalId: externalIdText(result.externalId) ?? null, error: null };
  }
  const { nextAttemptAt, uncounted = false, dead = false, suppressed = false } = result;
  // An older caller may leave the text out.
  const error = stripText(errorMessage(result.error ?? ''));
  if (Number(nextAttemptAt !== undefined) + Number(dead) + Number(suppressed) !== 1) {
    throw new InputError(
      'INVALID_INPUT',
      'result: a failed ack needs exactly one of `nextAttemptAt`, `dead: true` and `suppressed: true`.',
      {
        path: 'result',
      },
    );
  }
  if (nextAttemptAt !== undefined) return { status: 'pending', dueAt: checkTime(nextAttemptAt, 'result.nextAttemptAt'), uncounted, error };
  if (uncounted) {
    throw new InputError('INVALID_INPUT', 'result.uncounted: only a retry can go uncounted; give it together with `nextAttemptAt`.', {
      path: 'result.uncounted',
    });
  }
  return { status: dead ? 'dead' : 'suppressed', error };
}

/** @throws InputError `INVALID_INPUT` when nothing besides the organization says what to cancel. */
export function checkCancelFilter(filter: CancelFilter): CancelFilter {
  const { organizationId, deliveryId, notificationId, recipientId } = filter;
  if (deliveryId === undefined && notificationId === undefined && recipientId === undefined) {
    throw new InputError('INVALID_INPUT', 'cancel: name what to cancel: one of `deliveryId`, `notificationId`, `recipientId`.', {
      path: '',
    });
  }
  for (const [path, value] of Object.entries({ organizationId, deliveryId, notificationId, recipientId })) {
    if (value !== undefined) checkName(value, path);
  }
  return filter;
}

/** Where a page of deliveries begins and how long it is. */
export interface CheckedPage {
  readonly limit: number;
  readonly after: PagePosition | undefined;
}

/**
 * Checks a list's filter whole: its texts come from HTTP queries, and a store may write the status into a statement.
 *
 * @throws InputError `INVALID_INPUT`; the path names the field.
 */
export function checkListFilter({ organizationId, status, notificationId, cursor, limit }: DeliveryFilter): CheckedPage {
  if (organizationId !== undefined) checkName(organizationId, 'organizationId');
  if (notificationId !== undefined) checkName(notificationId, 'notificationId');
  if (status !== undefined && !DELIVERY_STATUSES.includes(status)) {
    throw new InputError('INVALID_INPUT', `status: ${String(status).slice(0, 80)} given; ${DELIVERY_STATUSES.join(', ')} are allowed.`, {
      path: 'status',
    });
  }
  return { limit: checkPageLimit(limit), after: cursor === undefined ? undefined : decodeCursor(cursor) };
}

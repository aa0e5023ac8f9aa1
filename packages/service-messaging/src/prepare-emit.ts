import type { NotificationPayload, SuppressedChannel } from '@bellhop/contracts';
import { checkPayload } from '@bellhop/store';
import { actionUrl } from './action-url.js';
import { deliverySlot } from './delivery-slot.js';
import type { CheckedEmit } from './emit-input.js';
import type { PreparedDelivery, PreparedEmit } from './emit-writer.js';

export interface EmitRoutes {
  /** Channels that get rows. */
  readonly open: readonly string[];
  readonly suppressed: SuppressedChannel[];
}

/**
 * The event and its rows, ids and all, before anything is written: one row per recipient and open channel, recipients outermost.
 *
 * @throws InputError `PAYLOAD_TOO_LARGE` when the defaults filled into the payload carry it over the limit.
 */
export function prepareEmit(input: CheckedEmit, routes: EmitRoutes, { nextId, now }: { nextId: () => string; now: number }): PreparedEmit {
  const payload = snapshot(input);
  const dueAt = input.notBefore ?? now;
  const event = {
    id: nextId(),
    organizationId: input.organizationId,
    topic: input.topic,
    payload: input.payload,
    severity: input.severity,
    dedupKey: input.dedupKey,
    source: input.source,
    actorId: input.actorId,
    suppressed: routes.suppressed,
    createdAt: now,
  };
  const deliveries = input.recipients.flatMap((recipientId) =>
    routes.open.map((channel): PreparedDelivery => {
      const id = nextId();
      return { id, recipientId, channel, dueAt, digestKey: null, slot: deliverySlot(id) };
    }),
  );
  return { event, eventPayloadText: input.payloadText, payload, payloadText: checkPayload(payload, 'payload'), deliveries };
}

/** What every delivery of the emit shows, whatever becomes of the event: nothing in it is looked up later. */
function snapshot({ payload, topic, severity, source }: CheckedEmit): NotificationPayload {
  const url = actionUrl(payload, source);
  return {
    ...payload,
    title: payload?.title || topic,
    body: payload?.body ?? '',
    severity,
    ...(url === undefined ? {} : { actionUrl: url }),
  };
}

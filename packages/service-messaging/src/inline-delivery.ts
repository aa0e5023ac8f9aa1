import type { EmitDelivery, NotificationChannel } from '@bellhop/contracts';
import { BellhopError, type Clock, errorMessage, type Logger } from '@bellhop/kernel';
import { stripText } from '@bellhop/store';
import { answerInTime } from './answer-in-time.js';
import { channelDelivery } from './channel-delivery.js';
import type { PreparedDelivery, PreparedEmit } from './emit-writer.js';
import type { EventStore } from './event-store.js';
import { readSendResult } from './send-result.js';

/** Sends in flight at once, over all deliveries of one emit. */
const CONCURRENCY = 16;

export interface InlineOutcome {
  readonly notificationId: string;
  readonly deduped: boolean;
  /** Empty on a repeat. */
  readonly deliveries: EmitDelivery[];
}

/**
 * Delivery without an outbox: the channels are called while the emit waits. One attempt, no retry, nothing survives a crash but the event;
 * a repeat of its dedup key then sends again what the crash may have cut short.
 */
export class InlineDelivery {
  /** Events being sent by this process: a repeat that comes meanwhile must not send them again. */
  readonly #sending = new Set<string>();

  constructor(
    readonly ports: {
      readonly events: EventStore;
      readonly channel: (id: string) => NotificationChannel | undefined;
      readonly logger: Logger;
      readonly clock: Clock;
      readonly signal: AbortSignal;
    },
  ) {}

  async deliver(calls: readonly PreparedEmit[]): Promise<InlineOutcome[]> {
    const { events } = this.ports;
    const inserted = await events.insert(
      calls.map(({ event, eventPayloadText, deliveries }) => ({
        record: event,
        payloadText: eventPayloadText,
        fannedOut: deliveries.length === 0,
      })),
    );
    // Decided for all at once, with no await between: whoever comes next sees what is being sent.
    const mine = inserted.map(({ id, fannedOut }) => {
      if (fannedOut || this.#sending.has(id)) return false;
      this.#sending.add(id);
      return true;
    });
    const outcomes: InlineOutcome[] = [];
    try {
      for (const [index, call] of calls.entries()) {
        const { id, deduped } = inserted[index] as (typeof inserted)[number];
        outcomes.push({ notificationId: id, deduped: deduped === true, deliveries: mine[index] ? await this.#send(call, id) : [] });
      }
    } finally {
      for (const [index, { id }] of inserted.entries()) if (mine[index]) this.#sending.delete(id);
    }
    return outcomes;
  }

  async #send(call: PreparedEmit, notificationId: string): Promise<EmitDelivery[]> {
    const waiting = call.deliveries.entries();
    const results: EmitDelivery[] = [];
    const worker = async (): Promise<void> => {
      for (const [index, delivery] of waiting) results[index] = await this.#sendOne(call, delivery, notificationId);
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, call.deliveries.length) }, worker));
    await this.ports.events.markFannedOut([{ id: notificationId, organizationId: call.event.organizationId }]);
    return results;
  }

  /** Never throws: one recipient's or channel's failure is nobody else's. */
  async #sendOne({ event, payload }: PreparedEmit, delivery: PreparedDelivery, notificationId: string): Promise<EmitDelivery> {
    const { id, recipientId, channel: channelId } = delivery;
    const channel = this.ports.channel(channelId);
    const target = { channel: channelId, recipientId };
    let failure: unknown;
    try {
      // It was there when the emit was routed.
      if (!channel) throw new BellhopError('UNKNOWN_CHANNEL', `The channel "${channelId}" was unregistered while the emit ran.`);
      const answer: unknown = await channel.send(
        {
          logger: this.ports.logger.child({ channel: channelId }),
          clock: this.ports.clock,
          signal: this.ports.signal,
          idempotencyKey: id,
        },
        channelDelivery({ ...event, ...delivery, notificationId, payload, attempts: 1 }),
      );
      const sent = readSendResult(channelId, answer);
      if (sent.ok) return { ...target, ok: true, ...(sent.externalId === undefined ? {} : { externalId: sent.externalId }) };
      failure = sent.error ?? 'the channel reported a failure without a reason';
    } catch (error) {
      failure = error;
    }
    if (await isDuplicate(channel, failure, this.ports.clock)) return { ...target, ok: true };
    const error = stripText(errorMessage(failure));
    this.ports.logger.warn({ channel: channelId, notificationId, deliveryId: id }, 'inline delivery failed');
    return { ...target, ok: false, error };
  }
}

/** The channel says that it sent this before: that is what was wanted. It may take its time to say so, within bounds. */
async function isDuplicate(channel: NotificationChannel | undefined, failure: unknown, clock: Clock): Promise<boolean> {
  try {
    return (await answerInTime<unknown>(clock, () => channel?.classifyError?.(failure))) === 'duplicate';
  } catch {
    return false;
  }
}

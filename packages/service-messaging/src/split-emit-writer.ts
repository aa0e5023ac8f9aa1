import type { EnqueueDeliveryInput, INotificationOutbox, TransactionOption } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import type { EmitWriter, EmitWritten, PreparedEmit } from './emit-writer.js';
import type { EventInsert, EventStore } from './event-store.js';

/**
 * Events into their store, deliveries into an outbox that lives elsewhere: two writes that no transaction joins.
 *
 * What keeps a crash between them from losing the notification: the event says whether its fan-out was finished. A repeat that finds it
 * unfinished writes the rows again, under the first event's id, and every row that is there already converges.
 */
export class SplitEmitWriter implements EmitWriter {
  constructor(
    readonly events: EventStore,
    readonly outbox: INotificationOutbox,
  ) {}

  async write(calls: readonly PreparedEmit[], options: TransactionOption = {}): Promise<EmitWritten[]> {
    const inserted = await this.events.insert(
      calls.map(({ event, eventPayloadText, deliveries }) => ({
        record: event,
        payloadText: eventPayloadText,
        fannedOut: deliveries.length === 0,
      })),
      options,
    );
    const fanned = callsToFanOut(calls, inserted);
    const rows = fanned.flatMap((index) => toInputs(calls[index] as PreparedEmit, (inserted[index] as EventInsert).id));
    const ids = rows.length > 0 ? await this.#enqueue(rows, options) : [];
    const finished = fanned.filter((index) => (calls[index] as PreparedEmit).deliveries.length > 0);
    if (finished.length > 0) {
      await this.events.markFannedOut(
        finished.map((index) => ({
          id: (inserted[index] as EventInsert).id,
          organizationId: (calls[index] as PreparedEmit).event.organizationId,
        })),
        options,
      );
    }
    let taken = 0;
    return calls.map(({ deliveries }, index) => {
      const { id, deduped } = inserted[index] as EventInsert;
      const count = fanned.includes(index) ? deliveries.length : 0;
      taken += count;
      return { notificationId: id, deduped, deliveryIds: ids.slice(taken - count, taken) };
    });
  }

  async #enqueue(rows: readonly EnqueueDeliveryInput[], options: TransactionOption): Promise<string[]> {
    if (this.outbox.enqueueMany) return this.outbox.enqueueMany(rows, options);
    const ids: string[] = [];
    for (const row of rows) ids.push(await this.outbox.enqueue(row, options));
    return ids;
  }
}

/** New events, and earlier ones whose fan-out was cut short; a key repeated within the calls is served by the first of them. */
function callsToFanOut(calls: readonly PreparedEmit[], inserted: readonly EventInsert[]): number[] {
  const served = new Set<string>();
  const fanned: number[] = [];
  for (const [index, { id, deduped, fannedOut }] of inserted.entries()) {
    if (deduped === null && (calls[index] as PreparedEmit).deliveries.length > 0) {
      throw new BellhopError(
        'BATCH_ONLY',
        'dedupKey: inside a transaction of remote libSQL it cannot be known whether the key is taken, and this outbox lives outside of that transaction. Emit after the transaction, or without a key.',
      );
    }
    if (!served.has(id) && (deduped !== true || !fannedOut)) fanned.push(index);
    served.add(id);
  }
  return fanned;
}

function toInputs({ event, payload, deliveries }: PreparedEmit, notificationId: string): EnqueueDeliveryInput[] {
  return deliveries.map(({ id, recipientId, channel, dueAt, digestKey }) => ({
    id,
    notificationId,
    recipientId,
    channel,
    topic: event.topic,
    payload,
    organizationId: event.organizationId,
    notBefore: dueAt,
    ...(digestKey === null ? {} : { digestKey }),
  }));
}

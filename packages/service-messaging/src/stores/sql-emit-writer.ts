import type { BatchStep, Store, TransactionOption } from '@bellhop/contracts';
import { GroupCommit, rowChunks, rowWeight } from '@bellhop/store';
import type { EmitWriter, EmitWritten, PreparedEmit } from '../emit-writer.js';
import { findDedupKeys, insertEventDeliveries, insertEvents } from '../sql/enqueue-deliveries.js';
import { dedupKeys, toEventRow } from './sql-event-store.js';

/** Groups with dedup keys under way at once on Postgres: one that waits for a key leaves room for the rest, and most of the pool for others. */
const KEYED_GROUPS = 4;

/** Deliveries in one statement at most. */
const ROWS_PER_STATEMENT = 1_000;

/**
 * Events and their deliveries in one transaction, for an outbox that lives in the store: two statements, and a third where dedup keys were
 * given, however many recipients. Emits of one microtask turn share the transaction.
 */
export class SqlEmitWriter implements EmitWriter {
  readonly #store: Store;
  readonly #plain: GroupCommit<readonly PreparedEmit[], EmitWritten[]>;
  /** Apart from the others: on Postgres an emit waits for an open transaction that holds its dedup key, and its group waits with it. */
  readonly #keyed: GroupCommit<readonly PreparedEmit[], EmitWritten[]>;

  constructor(store: Store) {
    this.#store = store;
    const options = {
      store,
      commit: (calls: readonly (readonly PreparedEmit[])[]) => this.#commit(calls),
      weigh: (call: readonly PreparedEmit[]) =>
        call.reduce((weight, emit) => weight + rowWeight(charactersOf(emit)) + emit.deliveries.length, 0),
    };
    this.#plain = new GroupCommit(options);
    this.#keyed = new GroupCommit({ ...options, concurrency: store.dialect === 'postgres' ? KEYED_GROUPS : 1 });
  }

  async write(calls: readonly PreparedEmit[], options: TransactionOption = {}): Promise<EmitWritten[]> {
    if (calls.length === 0) return [];
    if (options.trx) return this.#write(calls, options);
    return (calls.some(({ event }) => event.dedupKey !== null) ? this.#keyed : this.#plain).submit(calls);
  }

  async #commit(groups: readonly (readonly PreparedEmit[])[]): Promise<EmitWritten[][]> {
    const written = await this.#write(groups.flat(), {});
    let at = 0;
    return groups.map((group) => {
      const from = at;
      at += group.length;
      return written.slice(from, at);
    });
  }

  async #write(calls: readonly PreparedEmit[], options: TransactionOption): Promise<EmitWritten[]> {
    const now = this.#store.clock.now();
    const scope = { organizationId: [...new Set(calls.map(({ event }) => event.organizationId))] };
    const steps: BatchStep[] = [
      ...rowChunks(calls, charactersOf).map((chunk) => ({
        statement: insertEvents,
        params: { rows: JSON.stringify(chunk.map(({ event, eventPayloadText }) => toEventRow(event, eventPayloadText, true))) },
        scope,
      })),
      ...byRows(calls).map((chunk) => ({ statement: insertEventDeliveries, params: { now, events: JSON.stringify(chunk) }, scope })),
    ];
    const keys = dedupKeys(calls.map(({ event }) => event));
    // Inside a transaction of remote libSQL there is no reading back: whether a key was taken shows at the commit only.
    const blind = options.trx !== undefined && !this.#store.interactive;
    if (keys.length > 0 && !blind) steps.push({ statement: findDedupKeys, params: { keys: JSON.stringify(keys) } });
    const results = await this.#store.batch(steps, { ...options, replayable: true });
    const holders = new Map<number, string>();
    if (keys.length > 0 && !blind) for (const { place, id } of results.at(-1)?.rows ?? []) holders.set(Number(place), String(id));
    return calls.map(({ event, deliveries }, place) => {
      const notificationId = holders.get(place) ?? event.id;
      const deduped = blind && event.dedupKey !== null ? null : notificationId !== event.id;
      return { notificationId, deduped, deliveryIds: deduped === true ? [] : deliveries.map(({ id }) => id) };
    });
  }
}

/** The event and the snapshot of its deliveries: each travels once. */
function charactersOf({ eventPayloadText, payloadText }: PreparedEmit): number {
  return (eventPayloadText?.length ?? 0) + payloadText.length;
}

interface EventWithDeliveries {
  readonly id: string;
  readonly organization_id: string;
  readonly topic: string;
  readonly payload: string;
  readonly deliveries: object[];
}

/** Cuts the deliveries into statements of a bounded number of rows; an event whose deliveries are cut appears in several. */
function byRows(calls: readonly PreparedEmit[]): EventWithDeliveries[][] {
  const statements: EventWithDeliveries[][] = [];
  let room = 0;
  for (const { event, payloadText, deliveries } of calls) {
    const payloadWeight = rowWeight(payloadText.length) - 1;
    for (let at = 0; at < deliveries.length; ) {
      if (statements.length === 0 || room <= payloadWeight) {
        statements.push([]);
        room = ROWS_PER_STATEMENT;
      }
      room -= payloadWeight;
      const part = deliveries.slice(at, at + room);
      statements.at(-1)?.push({
        id: event.id,
        organization_id: event.organizationId,
        topic: event.topic,
        payload: payloadText,
        deliveries: part.map(({ id, recipientId, channel, dueAt, digestKey, slot }) => ({
          id,
          recipient_id: recipientId,
          channel,
          due_at: dueAt,
          digest_key: digestKey,
          slot,
        })),
      });
      at += part.length;
      room -= part.length;
    }
  }
  return statements;
}

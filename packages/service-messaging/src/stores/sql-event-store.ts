import type {
  BatchStep,
  NotificationPayload,
  NotificationRecord,
  Severity,
  Store,
  SuppressedChannel,
  TransactionOption,
} from '@bellhop/contracts';
import type { EventInsert, EventStore, NewEvent } from '../event-store.js';
import { findDedupKeys, insertEvents } from '../sql/enqueue-deliveries.js';
import { getEvent, markEventsFannedOut } from '../sql/notification-events.js';

/** The rows of `notification`, on any SQL store. */
export class SqlEventStore implements EventStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async insert(events: readonly NewEvent[], options: TransactionOption = {}): Promise<EventInsert[]> {
    if (events.length === 0) return [];
    const steps: BatchStep[] = [
      {
        statement: insertEvents,
        params: { rows: JSON.stringify(events.map(({ record, payloadText, fannedOut }) => toEventRow(record, payloadText, fannedOut))) },
        scope: { organizationId: [...new Set(events.map(({ record }) => record.organizationId))] },
      },
    ];
    const keys = dedupKeys(events.map(({ record }) => record));
    const blind = options.trx !== undefined && !this.#store.interactive;
    if (keys.length > 0 && !blind) steps.push({ statement: findDedupKeys, params: { keys: JSON.stringify(keys) } });
    const results = await this.#store.batch(steps, { ...options, replayable: true });
    const holders = new Map<number, { id: string; fannedOut: boolean }>();
    if (keys.length > 0 && !blind) {
      for (const { place, id, fanned_out } of results.at(-1)?.rows ?? []) {
        holders.set(Number(place), { id: String(id), fannedOut: Number(fanned_out) === 1 });
      }
    }
    return events.map(({ record, fannedOut }, place) => {
      const holder = holders.get(place);
      if (holder && holder.id !== record.id) return { id: holder.id, deduped: true, fannedOut: holder.fannedOut };
      return { id: record.id, deduped: blind && record.dedupKey !== null ? null : false, fannedOut };
    });
  }

  async markFannedOut(
    events: readonly { readonly id: string; readonly organizationId: string }[],
    options: TransactionOption = {},
  ): Promise<void> {
    if (events.length === 0) return;
    const organizationId = [...new Set(events.map((event) => event.organizationId))];
    await this.#store.write(markEventsFannedOut, { ids: JSON.stringify(events.map(({ id }) => id)) }, { organizationId }, options);
  }

  async get(id: string, { organizationId }: { readonly organizationId: string }): Promise<NotificationRecord | null> {
    const [row] = await this.#store.read<EventRow>(getEvent, { id, organizationId });
    return row ? toRecord(row) : null;
  }
}

interface EventRow {
  readonly id: string;
  readonly organization_id: string;
  readonly topic: string;
  readonly payload: string | null;
  readonly severity: Severity;
  readonly dedup_key: string | null;
  readonly source_type: string | null;
  readonly source_id: string | null;
  readonly actor_id: string | null;
  readonly suppressed: string;
  readonly created_at: number;
}

export function toEventRow(event: NotificationRecord, payloadText: string | null, fannedOut: boolean) {
  return {
    id: event.id,
    organization_id: event.organizationId,
    topic: event.topic,
    payload: payloadText,
    severity: event.severity,
    dedup_key: event.dedupKey,
    source_type: event.source?.type ?? null,
    source_id: event.source?.id ?? null,
    actor_id: event.actorId,
    suppressed: JSON.stringify(event.suppressed),
    fanned_out: fannedOut ? 1 : 0,
    created_at: event.createdAt,
  };
}

/** The dedup keys among events, each with its place. */
export function dedupKeys(events: readonly NotificationRecord[]) {
  return events.flatMap(({ organizationId, topic, dedupKey }, place) =>
    dedupKey === null ? [] : [{ place, organization_id: organizationId, topic, dedup_key: dedupKey }],
  );
}

function toRecord(row: EventRow): NotificationRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    topic: row.topic,
    payload: row.payload === null ? null : (JSON.parse(row.payload) as NotificationPayload),
    severity: row.severity,
    dedupKey: row.dedup_key,
    source: row.source_type === null ? null : { type: row.source_type, id: row.source_id ?? '' },
    actorId: row.actor_id,
    suppressed: JSON.parse(row.suppressed) as SuppressedChannel[],
    createdAt: row.created_at,
  };
}

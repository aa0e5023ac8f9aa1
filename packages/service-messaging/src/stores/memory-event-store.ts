import type { NotificationPayload, NotificationRecord, Transaction, TransactionOption } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import type { EventInsert, EventStore, NewEvent } from '../event-store.js';

export interface MemoryEventStoreOptions {
  /** Calls `fn` once the root of `trx` has committed, never after a rollback. Without it `{ trx }` is refused. */
  readonly afterCommit?: (trx: Transaction, fn: () => void) => void;
  /** Events held at most; the oldest is forgotten first, and its dedup key with it. 1 or more, default 100 000. */
  readonly keep?: number;
}

interface EventRow {
  readonly record: NotificationRecord;
  readonly payloadText: string | null;
  fannedOut: boolean;
}

/**
 * Events of one process. Inside a transaction an event is kept back until the commit; two open transactions that use one dedup key do not
 * see each other, and the one that commits first has the key.
 */
export class MemoryEventStore implements EventStore {
  readonly #rows = new Map<string, EventRow>();
  readonly #keys = new Map<string, string>();
  readonly #inTransaction = new WeakMap<Transaction, Map<string, EventRow>>();
  readonly #afterCommit: MemoryEventStoreOptions['afterCommit'];
  readonly #keep: number;

  constructor({ afterCommit, keep = 100_000 }: MemoryEventStoreOptions = {}) {
    if (!Number.isSafeInteger(keep) || keep < 1) {
      throw new InputError('INVALID_INPUT', `keep: ${String(keep)} given; an integer of at least 1 is needed.`, { path: 'keep' });
    }
    this.#afterCommit = afterCommit;
    this.#keep = keep;
  }

  async insert(events: readonly NewEvent[], { trx }: TransactionOption = {}): Promise<EventInsert[]> {
    return events.map((event) => (trx ? this.#insertAtCommit(event, trx) : this.#insert({ ...event })));
  }

  async markFannedOut(events: readonly { readonly id: string }[], { trx }: TransactionOption = {}): Promise<void> {
    const mark = (): void => {
      for (const { id } of events) {
        const row = this.#rows.get(id);
        if (row) row.fannedOut = true;
      }
    };
    if (trx) this.#joins(trx)(trx, mark);
    else mark();
  }

  async get(id: string, { organizationId }: { readonly organizationId: string }): Promise<NotificationRecord | null> {
    const row = this.#rows.get(id);
    if (row?.record.organizationId !== organizationId) return null;
    const payload = row.payloadText === null ? null : (JSON.parse(row.payloadText) as NotificationPayload);
    return { ...row.record, payload, suppressed: row.record.suppressed.map((channel) => ({ ...channel })) };
  }

  #insert(row: EventRow): EventInsert {
    const key = dedupKey(row.record);
    const winner = this.#rows.get((key !== undefined && this.#keys.get(key)) || '');
    if (winner) return { id: winner.record.id, deduped: true, fannedOut: winner.fannedOut };
    this.#rows.set(row.record.id, row);
    if (key !== undefined) this.#keys.set(key, row.record.id);
    while (this.#rows.size > this.#keep) this.#forgetOldest();
    return { id: row.record.id, deduped: false, fannedOut: row.fannedOut };
  }

  #insertAtCommit(event: NewEvent, trx: Transaction): EventInsert {
    const afterCommit = this.#joins(trx);
    const earlier = this.#inTransaction.get(trx) ?? new Map<string, EventRow>();
    this.#inTransaction.set(trx, earlier);
    const key = dedupKey(event.record);
    const winner = key === undefined ? undefined : (this.#rows.get(this.#keys.get(key) ?? '') ?? earlier.get(key));
    if (winner) return { id: winner.record.id, deduped: true, fannedOut: winner.fannedOut };
    const row = { ...event };
    if (key !== undefined) earlier.set(key, row);
    afterCommit(trx, () => void this.#insert(row));
    return { id: row.record.id, deduped: false, fannedOut: row.fannedOut };
  }

  #joins(_trx: Transaction): NonNullable<MemoryEventStoreOptions['afterCommit']> {
    if (this.#afterCommit) return this.#afterCommit;
    throw new InputError('INVALID_INPUT', 'trx: this event store was made without `afterCommit` and cannot join a transaction.', {
      path: 'trx',
    });
  }

  #forgetOldest(): void {
    const [id, row] = this.#rows.entries().next().value as [string, EventRow];
    this.#rows.delete(id);
    const key = dedupKey(row.record);
    if (key !== undefined) this.#keys.delete(key);
  }
}

function dedupKey({ organizationId, topic, dedupKey: key }: NotificationRecord): string | undefined {
  return key === null ? undefined : JSON.stringify([organizationId, topic, key]);
}

import type { ClaimedDelivery, Delivery, DeliveryStatus, NotificationPayload } from '@bellhop/contracts';
import { TimeIndex } from '@bellhop/store';
import type { CheckedDelivery } from '../delivery-input.js';

/** A delivery as the memory outbox keeps it. The payload stays JSON text, so what is handed out is always a copy. */
export interface DeliveryRow extends Omit<Delivery, 'payload'> {
  readonly payloadText: string;
  readonly claimToken: string | null;
  readonly digestGroup: string | null;
}

/**
 * The rows of the memory outbox with the indexes its operations need. A row is replaced, never changed, and only by `put`, which keeps
 * every index in step with it.
 */
export class MemoryDeliveryTable {
  readonly #rows = new Map<string, DeliveryRow>();
  readonly #byTarget = new Map<string, string>();
  readonly #singles = new Map<string, TimeIndex>();
  readonly #digests = new Map<string, TimeIndex>();
  readonly #pendingGroups = new Map<string, Set<string>>();
  readonly #inFlightGroups = new Map<string, Set<string>>();
  readonly #finished = new Set<string>();
  /** Claims by expiry. */
  readonly expiries = new TimeIndex();

  /** @param keepFinished finished rows held at most; the one that finished first makes room. */
  constructor(readonly keepFinished: number) {}

  get(id: string): DeliveryRow | undefined {
    return this.#rows.get(id);
  }

  all(): Iterable<DeliveryRow> {
    return this.#rows.values();
  }

  /** The row of a (notification, recipient, channel). */
  idOfTarget(target: Target): string | undefined {
    return this.#byTarget.get(targetKey(target));
  }

  put(row: DeliveryRow): void {
    const before = this.#rows.get(row.id);
    if (before) this.#unindex(before);
    this.#rows.set(row.id, row);
    this.#byTarget.set(targetKey(row), row.id);
    this.#index(row);
    while (this.#finished.size > this.keepFinished) this.#forget(this.#finished.values().next().value as string);
  }

  /** Due-time indexes of pending rows, one per channel, of the channels asked for. */
  dueIndexes(kind: 'singles' | 'digests', channels: readonly string[] | null | undefined): TimeIndex[] {
    const indexes = kind === 'singles' ? this.#singles : this.#digests;
    if (!channels) return [...indexes.values()];
    return [...new Set(channels)].map((channel) => indexes.get(channel)).filter((index) => index !== undefined);
  }

  /** Pending rows of the digest group that `row` belongs to, in order of creation. */
  groupOf(row: DeliveryRow): DeliveryRow[] {
    const ids = [...(this.#pendingGroups.get(groupKey(row)) ?? [])].sort();
    return ids.map((id) => this.#rows.get(id) as DeliveryRow);
  }

  /** Whether part of the row's group is in flight: then the rest of it waits. */
  groupIsInFlight(row: DeliveryRow): boolean {
    return this.#inFlightGroups.has(groupKey(row));
  }

  #index(row: DeliveryRow): void {
    if (row.status === 'pending') {
      addTo(row.digestKey === null ? this.#singles : this.#digests, row.channel, row.dueAt, row.id);
      if (row.digestKey !== null) addMember(this.#pendingGroups, groupKey(row), row.id);
    } else if (row.status === 'in_flight') {
      this.expiries.add(row.claimExpiresAt as number, row.id);
      if (row.digestKey !== null) addMember(this.#inFlightGroups, groupKey(row), row.id);
    } else {
      this.#finished.add(row.id);
    }
  }

  #unindex(row: DeliveryRow): void {
    if (row.status === 'pending') {
      (row.digestKey === null ? this.#singles : this.#digests).get(row.channel)?.remove(row.dueAt, row.id);
      if (row.digestKey !== null) removeMember(this.#pendingGroups, groupKey(row), row.id);
    } else if (row.status === 'in_flight') {
      this.expiries.remove(row.claimExpiresAt as number, row.id);
      if (row.digestKey !== null) removeMember(this.#inFlightGroups, groupKey(row), row.id);
    } else {
      this.#finished.delete(row.id);
    }
  }

  #forget(id: string): void {
    const row = this.#rows.get(id) as DeliveryRow;
    this.#unindex(row);
    this.#rows.delete(id);
    this.#byTarget.delete(targetKey(row));
  }
}

interface Target {
  readonly notificationId: string;
  readonly recipientId: string;
  readonly channel: string;
}

/** JSON, because no separator is safe inside ids. */
export function targetKey({ notificationId, recipientId, channel }: Target): string {
  return JSON.stringify([notificationId, recipientId, channel]);
}

/** An open group is all rows of a digest key and organization that were never claimed; claiming closes it under a name of its own. */
function groupKey(row: DeliveryRow): string {
  return JSON.stringify(row.digestGroup === null ? [row.organizationId, row.digestKey] : [row.digestGroup]);
}

export function newRow(input: CheckedDelivery, now: number): DeliveryRow {
  return {
    ...input,
    status: 'pending',
    attempts: 0,
    claimedBy: null,
    claimedAt: null,
    claimExpiresAt: null,
    claimToken: null,
    digestGroup: null,
    lastAttemptedAt: null,
    externalId: null,
    error: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The row with its claim taken off. */
export function unclaimed(row: DeliveryRow, status: Exclude<DeliveryStatus, 'in_flight'>, now: number): DeliveryRow {
  return { ...row, status, claimedBy: null, claimedAt: null, claimExpiresAt: null, claimToken: null, updatedAt: now };
}

export function toDelivery(row: DeliveryRow): Delivery {
  const { payloadText, claimToken: _token, digestGroup: _group, ...rest } = row;
  return { ...rest, payload: JSON.parse(payloadText) as NotificationPayload };
}

export function toClaimed(row: DeliveryRow): ClaimedDelivery {
  return {
    ...toDelivery(row),
    status: 'in_flight',
    claimToken: row.claimToken as string,
    claimExpiresAt: row.claimExpiresAt as number,
    digestGroup: row.digestGroup,
  };
}

function addTo(indexes: Map<string, TimeIndex>, channel: string, time: number, id: string): void {
  let index = indexes.get(channel);
  if (!index) {
    index = new TimeIndex();
    indexes.set(channel, index);
  }
  index.add(time, id);
}

function addMember(groups: Map<string, Set<string>>, key: string, id: string): void {
  const members = groups.get(key);
  if (members) members.add(id);
  else groups.set(key, new Set([id]));
}

function removeMember(groups: Map<string, Set<string>>, key: string, id: string): void {
  const members = groups.get(key);
  members?.delete(id);
  if (members?.size === 0) groups.delete(key);
}

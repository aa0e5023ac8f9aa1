import {
  type AckOutcome,
  type AckResult,
  CLAIM_EXPIRED,
  DELIVERY_ATTEMPT_LIMIT,
  type DeliveryStatus,
  SLOT_COUNT,
  type Survey,
} from '@bellhop/contracts';

/** A delivery as the model sees it: no more than the rules need. `order` is the order of creation. */
export interface ModelRow {
  readonly id: string;
  readonly order: number;
  readonly slot: number;
  readonly target: string;
  readonly notificationId: string;
  readonly channel: string;
  readonly digestKey: string | null;
  status: DeliveryStatus;
  attempts: number;
  dueAt: number;
  error: string | null;
  /** Which claim holds it; 0 is none. */
  claim: number;
  expiresAt: number | null;
  /** Which closing of its digest key it belongs to; 0 is the open one. */
  group: number;
}

export interface ModelClaim {
  readonly limit: number;
  readonly channels: readonly string[] | null;
  readonly partition: { readonly index: number; readonly count: number } | null;
  readonly claimTtlMs: number;
  readonly skipReap: boolean;
  readonly now: number;
}

/**
 * The outbox contract over a plain list, written to be read: every operation looks at every row. The property test runs it beside the
 * real one.
 */
export class OutboxModel {
  readonly rows: ModelRow[] = [];
  #claims = 0;
  #groups = 0;

  byTarget(target: string): ModelRow | undefined {
    return this.rows.find((row) => row.target === target);
  }

  enqueue(row: Pick<ModelRow, 'id' | 'slot' | 'target' | 'notificationId' | 'channel' | 'digestKey' | 'dueAt'>): void {
    this.rows.push({
      ...row,
      order: this.rows.length,
      status: 'pending',
      attempts: 0,
      error: null,
      claim: 0,
      expiresAt: null,
      group: 0,
    });
  }

  /** @returns the ids and the number of the claim. */
  claim(options: ModelClaim): { claim: number; rows: ModelRow[] } {
    if (!options.skipReap) this.reap(options.now);
    const due = this.#due(options, false).slice(0, options.limit);
    return { claim: this.#take(due, options), rows: due };
  }

  claimDigest(options: ModelClaim): { claim: number; rows: ModelRow[] } {
    if (!options.skipReap) this.reap(options.now);
    const taken: ModelRow[] = [];
    let groups = 0;
    for (const first of this.#due(options, true)) {
      if (groups === options.limit) break;
      if (taken.includes(first) || this.isBlocked(first)) continue;
      const members = this.rows.filter((row) => row.status === 'pending' && this.#sameGroup(row, first));
      if (first.group === 0) {
        this.#groups += 1;
        for (const row of members) row.group = this.#groups;
      }
      taken.push(...members);
      groups += 1;
    }
    return { claim: this.#take(taken, options), rows: taken };
  }

  ack(id: string, claim: number, result: AckResult, _now: number): AckOutcome {
    const row = this.#held(id, claim);
    if (!row) return 'lost';
    this.#letGo(row, 'success');
    row.error = result.success ? null : result.error;
    if (result.success) return 'acked';
    if (result.dead) row.status = 'dead';
    else if (result.suppressed) row.status = 'suppressed';
    else {
      row.status = 'pending';
      row.dueAt = result.nextAttemptAt as number;
      if (result.uncounted) row.attempts -= 1;
    }
    return 'acked';
  }

  renew(id: string, claim: number, expiresAt: number): AckOutcome {
    const row = this.#held(id, claim);
    if (!row) return 'lost';
    row.expiresAt = expiresAt;
    return 'acked';
  }

  release(id: string, claim: number): void {
    const row = this.#held(id, claim);
    if (!row) return;
    this.#letGo(row, 'pending');
    row.attempts -= 1;
  }

  reap(now: number): number {
    const expired = this.rows.filter((row) => row.status === 'in_flight' && (row.expiresAt as number) <= now);
    for (const row of expired) {
      const atLimit = row.attempts >= DELIVERY_ATTEMPT_LIMIT;
      this.#letGo(row, atLimit ? 'dead' : 'pending');
      row.error = CLAIM_EXPIRED;
    }
    return expired.length;
  }

  cancel(notificationId: string): number {
    const pending = this.rows.filter((row) => row.status === 'pending' && row.notificationId === notificationId);
    for (const row of pending) row.status = 'cancelled';
    return pending.length;
  }

  survey(channels: readonly string[] | null, now: number): Survey {
    const waiting = this.rows.filter((row) => row.status === 'pending' && (!channels || channels.includes(row.channel)));
    const expiries = this.rows.filter((row) => row.status === 'in_flight').map((row) => row.expiresAt as number);
    const later = waiting.map((row) => row.dueAt).filter((dueAt) => dueAt > now);
    const live = expiries.filter((expiresAt) => expiresAt > now);
    return {
      expired: live.length < expiries.length,
      due: waiting.some((row) => row.digestKey === null && row.dueAt <= now),
      dueDigests: waiting.some((row) => row.digestKey !== null && row.dueAt <= now),
      ...(later.length > 0 ? { nextDueAt: Math.min(...later) } : {}),
      ...(live.length > 0 ? { nextExpiryAt: Math.min(...live) } : {}),
    };
  }

  /** A part of the row's group is in flight, so the rest of it waits. */
  isBlocked(row: ModelRow): boolean {
    return this.rows.some((other) => other.status === 'in_flight' && this.#sameGroup(other, row));
  }

  #due({ channels, partition, now }: ModelClaim, digests: boolean): ModelRow[] {
    const from = partition ? Math.floor((partition.index * SLOT_COUNT) / partition.count) : 0;
    const to = partition ? Math.floor(((partition.index + 1) * SLOT_COUNT) / partition.count) : SLOT_COUNT;
    return this.rows
      .filter((row) => row.status === 'pending' && (row.digestKey !== null) === digests && row.dueAt <= now)
      .filter((row) => row.slot >= from && row.slot < to && (!channels || channels.includes(row.channel)))
      .sort((left, right) => left.dueAt - right.dueAt || left.order - right.order);
  }

  #take(rows: readonly ModelRow[], { now, claimTtlMs }: ModelClaim): number {
    this.#claims += 1;
    for (const row of rows) {
      row.status = 'in_flight';
      row.attempts += 1;
      row.claim = this.#claims;
      row.expiresAt = now + claimTtlMs;
    }
    return this.#claims;
  }

  #held(id: string, claim: number): ModelRow | undefined {
    return this.rows.find((row) => row.id === id && row.status === 'in_flight' && row.claim === claim);
  }

  #letGo(row: ModelRow, status: DeliveryStatus): void {
    row.status = status;
    row.claim = 0;
    row.expiresAt = null;
  }

  #sameGroup(left: ModelRow, right: ModelRow): boolean {
    return left.digestKey === right.digestKey && left.group === right.group;
  }
}

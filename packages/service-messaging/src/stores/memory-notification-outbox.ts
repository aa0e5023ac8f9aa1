import {
  type Ack,
  type AckOutcome,
  type AckResult,
  type CancelFilter,
  CLAIM_EXPIRED,
  type ClaimedDelivery,
  type ClaimOptions,
  DELIVERY_ATTEMPT_LIMIT,
  type DeliveryFilter,
  type DeliveryPage,
  type EnqueueDeliveryInput,
  type INotificationOutbox,
  type ReapOptions,
  type Survey,
  type SurveyOptions,
  type Transaction,
  type TransactionOption,
} from '@bellhop/contracts';
import { type Clock, InputError, type Random, systemRandom } from '@bellhop/kernel';
import {
  byTime,
  checkPositive,
  checkTime,
  createClaimToken,
  createIdSource,
  type IdSource,
  isOlder,
  type PagePosition,
  type TimeEntry,
  type TimeIndex,
  toPage,
} from '@bellhop/store';
import {
  type CheckedClaim,
  type CheckedDelivery,
  checkAck,
  checkCancelFilter,
  checkClaimOptions,
  checkDelivery,
  checkListFilter,
} from '../delivery-input.js';
import type { SlotRange } from '../delivery-slot.js';
import { type DeliveryRow, MemoryDeliveryTable, newRow, targetKey, toClaimed, toDelivery, unclaimed } from './memory-delivery-table.js';

export interface MemoryNotificationOutboxOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** For ids and claim tokens. Default: the machine's. */
  readonly random?: Random;
  /** Calls `fn` once the root of `trx` has committed, never after a rollback: the store's `afterCommit`. Without it `{ trx }` is refused. */
  readonly afterCommit?: (trx: Transaction, fn: () => void) => void;
  /**
   * Finished rows held at most, so that a long-lived process does not grow without end; the one that finished first is forgotten first, and
   * with it that its (notification, recipient, channel) was taken. 0 or more, default 100 000.
   */
  readonly keepFinished?: number;
}

/**
 * The outbox of one process: nothing survives it, every guarantee that needs no disk holds. All capabilities.
 *
 * Every operation is atomic because it runs to its end within one turn of the event loop: no `await` inside.
 */
export class MemoryNotificationOutbox implements Required<INotificationOutbox> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Random;
  readonly #afterCommit: MemoryNotificationOutboxOptions['afterCommit'];
  readonly #nextId: IdSource;
  readonly #table: MemoryDeliveryTable;
  /** What each open transaction has enqueued, so that a repeat inside it converges too. */
  readonly #inTransaction = new WeakMap<Transaction, Map<string, string>>();

  constructor({ clock, random = systemRandom, afterCommit, keepFinished = 100_000 }: MemoryNotificationOutboxOptions) {
    if (!Number.isSafeInteger(keepFinished) || keepFinished < 0) {
      throw new InputError('INVALID_INPUT', `keepFinished: ${String(keepFinished)} given; an integer of at least 0 is needed.`, {
        path: 'keepFinished',
      });
    }
    this.#clock = clock;
    this.#random = random;
    this.#afterCommit = afterCommit;
    this.#nextId = createIdSource({ clock, random });
    this.#table = new MemoryDeliveryTable(keepFinished);
  }

  async enqueue(input: EnqueueDeliveryInput, options?: TransactionOption): Promise<string> {
    const [id] = await this.enqueueMany([input], options);
    return id as string;
  }

  async enqueueMany(inputs: readonly EnqueueDeliveryInput[], options?: TransactionOption): Promise<string[]> {
    const now = this.#clock.now();
    const checked = inputs.map((input) => checkDelivery(input, { id: this.#nextId, now }));
    this.#checkIds(checked);
    return options?.trx ? this.#enqueueAtCommit(checked, now, options.trx) : checked.map((input) => this.#insert(input, now));
  }

  async claim(options: ClaimOptions): Promise<ClaimedDelivery[]> {
    const claim = checkClaimOptions(options, this.#clock.now());
    if (!claim.skipReap) this.#reap(claim.now);
    const candidates = this.#table
      .dueIndexes('singles', claim.channels)
      .flatMap((index) => this.#dueIn(index, claim.now, claim.slots, claim.limit))
      .sort(byTime);
    const token = createClaimToken(this.#random);
    return candidates.slice(0, claim.limit).map(({ id }) => this.#take(this.#table.get(id) as DeliveryRow, claim, token, null));
  }

  async claimDigest(options: ClaimOptions): Promise<ClaimedDelivery[]> {
    const claim = checkClaimOptions(options, this.#clock.now());
    if (!claim.skipReap) this.#reap(claim.now);
    const due = this.#table
      .dueIndexes('digests', claim.channels)
      .flatMap((index) => this.#dueIn(index, claim.now, claim.slots, Number.POSITIVE_INFINITY))
      .sort(byTime);
    const token = createClaimToken(this.#random);
    const claimed: ClaimedDelivery[] = [];
    let groups = 0;
    for (const { id } of due) {
      if (groups === claim.limit) break;
      const row = this.#table.get(id) as DeliveryRow;
      // Taken a moment ago with the rest of its group, or its group is partly in flight.
      if (row.status !== 'pending' || this.#table.groupIsInFlight(row)) continue;
      const members = this.#table.groupOf(row);
      const group = row.digestGroup ?? this.#nextId();
      claimed.push(...members.map((member) => this.#take(member, claim, token, group)));
      groups += 1;
    }
    return claimed;
  }

  async ack(claim: ClaimedDelivery, result: AckResult): Promise<AckOutcome> {
    const ack = checkAck(result);
    const held = this.#held(claim);
    if (!held) return 'lost';
    const now = this.#clock.now();
    const row: DeliveryRow = { ...unclaimed(held, ack.status, now), lastAttemptedAt: now, error: ack.error };
    if (ack.status === 'success') this.#table.put({ ...row, externalId: ack.externalId });
    else if (ack.status === 'pending') this.#table.put({ ...row, dueAt: ack.dueAt, attempts: row.attempts - (ack.uncounted ? 1 : 0) });
    else this.#table.put(row);
    return 'acked';
  }

  async ackMany(acks: readonly Ack[]): Promise<AckOutcome[]> {
    // All are checked before the first is written: a malformed one refuses them all.
    for (const { result } of acks) checkAck(result);
    return Promise.all(acks.map(({ claim, result }) => this.ack(claim, result)));
  }

  async renew(claims: readonly ClaimedDelivery[], claimTtlMs: number): Promise<AckOutcome[]> {
    checkPositive(claimTtlMs, 'claimTtlMs');
    const now = this.#clock.now();
    return claims.map((claim) => {
      const held = this.#held(claim);
      if (!held) return 'lost';
      this.#table.put({ ...held, claimExpiresAt: now + claimTtlMs, updatedAt: now });
      return 'acked';
    });
  }

  async release(claims: readonly ClaimedDelivery[]): Promise<void> {
    const now = this.#clock.now();
    for (const claim of claims) {
      const held = this.#held(claim);
      if (held) this.#table.put({ ...unclaimed(held, 'pending', now), attempts: held.attempts - 1 });
    }
  }

  async reap({ claimTtlMs, now }: ReapOptions): Promise<number> {
    // Every row here carries its expiry, so the TTL for those without one is checked and has nothing to apply to.
    checkPositive(claimTtlMs, 'claimTtlMs');
    return this.#reap(now === undefined ? this.#clock.now() : checkTime(now, 'now'));
  }

  async survey(options: SurveyOptions): Promise<Survey> {
    const now = options.now === undefined ? this.#clock.now() : checkTime(options.now, 'now');
    const singles = this.#table.dueIndexes('singles', options.channels);
    const digests = this.#table.dueIndexes('digests', options.channels);
    const isDue = (index: TimeIndex) => (index.first()?.time ?? Number.POSITIVE_INFINITY) <= now;
    const nextDueAt = Math.min(...[...singles, ...digests].map((index) => index.firstTimeAfter(now) ?? Number.POSITIVE_INFINITY));
    const nextExpiryAt = this.#table.expiries.firstTimeAfter(now);
    return {
      expired: isDue(this.#table.expiries),
      due: singles.some(isDue),
      dueDigests: digests.some(isDue),
      ...(Number.isFinite(nextDueAt) ? { nextDueAt } : {}),
      ...(nextExpiryAt === undefined ? {} : { nextExpiryAt }),
    };
  }

  async cancel(filter: CancelFilter): Promise<number> {
    const { organizationId, deliveryId, notificationId, recipientId } = checkCancelFilter(filter);
    const now = this.#clock.now();
    const matches = [...this.#table.all()].filter(
      (row) =>
        row.status === 'pending' &&
        (organizationId === undefined || row.organizationId === organizationId) &&
        (deliveryId === undefined || row.id === deliveryId) &&
        (notificationId === undefined || row.notificationId === notificationId) &&
        (recipientId === undefined || row.recipientId === recipientId),
    );
    for (const row of matches) this.#table.put(unclaimed(row, 'cancelled', now));
    return matches.length;
  }

  async list(filter: DeliveryFilter = {}): Promise<DeliveryPage> {
    const { limit, after } = checkListFilter(filter);
    const rows: DeliveryRow[] = [];
    for (const row of this.#table.all()) {
      if (filter.organizationId !== undefined && row.organizationId !== filter.organizationId) continue;
      if (filter.status !== undefined && row.status !== filter.status) continue;
      if (filter.notificationId !== undefined && row.notificationId !== filter.notificationId) continue;
      if (after && !isOlder(position(row), after)) continue;
      rows.push(row);
    }
    rows.sort((left, right) => (isOlder(position(right), position(left)) ? -1 : 1));
    const { items, nextCursor } = toPage(rows, limit, ({ createdAt }) => createdAt);
    return { items: items.map(toDelivery), nextCursor };
  }

  #insert(input: CheckedDelivery, now: number): string {
    const existing = this.#table.idOfTarget(input);
    if (existing !== undefined) return existing;
    this.#table.put(newRow(input, now));
    return input.id;
  }

  #enqueueAtCommit(checked: readonly CheckedDelivery[], now: number, trx: Transaction): string[] {
    if (!this.#afterCommit) {
      throw new InputError('INVALID_INPUT', 'trx: this outbox was made without `afterCommit` and cannot join a transaction.', {
        path: 'trx',
      });
    }
    const earlier = this.#inTransaction.get(trx) ?? new Map<string, string>();
    this.#inTransaction.set(trx, earlier);
    this.#afterCommit(trx, () => {
      for (const input of checked) this.#insert(input, now);
    });
    return checked.map((input) => {
      const key = targetKey(input);
      const id = this.#table.idOfTarget(input) ?? earlier.get(key) ?? input.id;
      earlier.set(key, id);
      return id;
    });
  }

  /** An id that another delivery has already would overwrite it. */
  #checkIds(inputs: readonly CheckedDelivery[]): void {
    const targets = new Map<string, string>();
    for (const input of inputs) {
      const holder = this.#table.get(input.id);
      const target = targetKey(input);
      const taken = (holder && targetKey(holder)) ?? targets.get(input.id);
      if (taken !== undefined && taken !== target) {
        throw new InputError('INVALID_INPUT', `id: ${input.id} is another delivery's; give a fresh id, or none.`, { path: 'id' });
      }
      targets.set(input.id, target);
    }
  }

  #dueIn(index: TimeIndex, now: number, slots: SlotRange, limit: number): TimeEntry[] {
    const due: TimeEntry[] = [];
    for (const entry of index.upTo(now)) {
      const { slot } = this.#table.get(entry.id) as DeliveryRow;
      if (slot < slots.from || slot >= slots.to) continue;
      due.push(entry);
      if (due.length === limit) break;
    }
    return due;
  }

  #take(row: DeliveryRow, claim: CheckedClaim, claimToken: string, digestGroup: string | null): ClaimedDelivery {
    const taken: DeliveryRow = {
      ...row,
      status: 'in_flight',
      attempts: row.attempts + 1,
      claimedBy: claim.nodeId,
      claimedAt: claim.now,
      claimExpiresAt: claim.now + claim.claimTtlMs,
      claimToken,
      digestGroup,
      updatedAt: claim.now,
    };
    this.#table.put(taken);
    return toClaimed(taken);
  }

  /** The row, if this very claim still holds it. */
  #held(claim: ClaimedDelivery): DeliveryRow | undefined {
    const row = this.#table.get(claim.id);
    return row?.status === 'in_flight' && row.claimToken === claim.claimToken ? row : undefined;
  }

  #reap(now: number): number {
    const expired = [...this.#table.expiries.upTo(now)].map(({ id }) => this.#table.get(id) as DeliveryRow);
    for (const row of expired) {
      const status = row.attempts >= DELIVERY_ATTEMPT_LIMIT ? 'dead' : 'pending';
      this.#table.put({ ...unclaimed(row, status, now), error: CLAIM_EXPIRED });
    }
    return expired.length;
  }
}

function position({ createdAt, id }: DeliveryRow): PagePosition {
  return { time: createdAt, id };
}

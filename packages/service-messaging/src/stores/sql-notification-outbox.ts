import {
  type Ack,
  type AckOutcome,
  type AckResult,
  type CancelFilter,
  type ClaimedDelivery,
  type ClaimOptions,
  DELIVERY_ATTEMPT_LIMIT,
  type DeliveryFilter,
  type DeliveryPage,
  type EnqueueDeliveryInput,
  type INotificationOutbox,
  type ReapOptions,
  type SqlParams,
  type Statement,
  type Store,
  type Survey,
  type SurveyOptions,
  type TransactionOption,
} from '@bellhop/contracts';
import { InputError, type Random, systemRandom } from '@bellhop/kernel';
import {
  checkPositive,
  checkTime,
  createClaimToken,
  createIdSource,
  GroupCommit,
  type IdSource,
  rowChunks,
  rowWeight,
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
import { claimDeliveries, claimDigests, pendingChannels } from '../sql/claim-deliveries.js';
import { type DeliveryRecord, toClaimed, toDelivery } from '../sql/delivery-columns.js';
import { findTargets, insertDeliveries } from '../sql/enqueue-deliveries.js';
import { cancelDeliveries, listDeliveries } from '../sql/list-deliveries.js';
import { ackDeliveries, reapDeliveries, releaseClaims, renewClaims } from '../sql/settle-deliveries.js';
import { type SurveyRecord, surveyDeliveries } from '../sql/survey-deliveries.js';

/** Why the dispatcher's writes name no organization: on a tick there is no caller, and a claim takes the rows of all of them. */
const DISPATCH = { global: 'dispatcher: a claim, its outcome and its recovery cross organizations by design' };

/** Due rows looked at to find one digest group. */
const SCAN_PER_GROUP = 64;

export interface SqlNotificationOutboxOptions {
  readonly store: Store;
  /** For ids and claim tokens. Default: the machine's. */
  readonly random?: Random;
}

/** The outbox in a SQL database of any dialect. All capabilities; every hot operation is one statement. */
export class SqlNotificationOutbox implements Required<INotificationOutbox> {
  /** The database it lives in. */
  readonly store: Store;
  readonly #random: Random;
  readonly #nextId: IdSource;
  readonly #enqueues: GroupCommit<readonly CheckedDelivery[], string[]>;

  constructor({ store, random = systemRandom }: SqlNotificationOutboxOptions) {
    this.store = store;
    this.#random = random;
    this.#nextId = createIdSource({ clock: store.clock, random });
    this.#enqueues = new GroupCommit({ store, commit: (calls) => this.#write(calls), weigh: weighRows });
  }

  async enqueue(input: EnqueueDeliveryInput, options?: TransactionOption): Promise<string> {
    const [id] = await this.enqueueMany([input], options);
    return id as string;
  }

  async enqueueMany(inputs: readonly EnqueueDeliveryInput[], options?: TransactionOption): Promise<string[]> {
    const now = this.store.clock.now();
    const rows = inputs.map((input) => checkDelivery(input, { id: this.#nextId, now }));
    if (rows.length === 0) return [];
    if (!options?.trx) return this.#enqueues.submit(rows);
    const [ids] = await this.#write([rows], options);
    return ids as string[];
  }

  async claim(options: ClaimOptions): Promise<ClaimedDelivery[]> {
    return (await this.#claim(options, pendingChannels.singles, claimDeliveries, {})).sort(byDueTime);
  }

  async claimDigest(options: ClaimOptions): Promise<ClaimedDelivery[]> {
    const rows = await this.#claim(options, pendingChannels.digests, claimDigests, { scan: options.limit * SCAN_PER_GROUP });
    return groupAfterGroup(rows);
  }

  async ack(claim: ClaimedDelivery, result: AckResult): Promise<AckOutcome> {
    const [outcome] = await this.ackMany([{ claim, result }]);
    return outcome as AckOutcome;
  }

  async ackMany(acks: readonly Ack[]): Promise<AckOutcome[]> {
    const rows = acks.map(({ claim, result }) => {
      const ack = checkAck(result);
      return {
        id: claim.id,
        token: claim.claimToken,
        status: ack.status,
        uncounted: ack.status === 'pending' && ack.uncounted ? 1 : 0,
        due_at: ack.status === 'pending' ? ack.dueAt : null,
        external_id: ack.status === 'success' ? ack.externalId : null,
        error: ack.error,
      };
    });
    return this.#settle(ackDeliveries, 'acks', rows, {});
  }

  async renew(claims: readonly ClaimedDelivery[], claimTtlMs: number): Promise<AckOutcome[]> {
    checkPositive(claimTtlMs, 'claimTtlMs');
    return this.#settle(renewClaims, 'claims', claims.map(credential), { expiresAt: this.store.clock.now() + claimTtlMs });
  }

  async release(claims: readonly ClaimedDelivery[]): Promise<void> {
    await this.#settle(releaseClaims, 'claims', claims.map(credential), {});
  }

  async reap({ claimTtlMs, now }: ReapOptions): Promise<number> {
    // Every row here carries its expiry, so the TTL for those without one is checked and has nothing to apply to.
    checkPositive(claimTtlMs, 'claimTtlMs');
    return this.#reap(now === undefined ? this.store.clock.now() : checkTime(now, 'now'));
  }

  async survey(options: SurveyOptions): Promise<Survey> {
    const now = options.now === undefined ? this.store.clock.now() : checkTime(options.now, 'now');
    const channels = options.channels ?? [
      ...new Set([...(await this.#pendingChannels(pendingChannels.singles)), ...(await this.#pendingChannels(pendingChannels.digests))]),
    ];
    const [record] = await this.store.read<SurveyRecord>(surveyDeliveries, { now, channels: JSON.stringify(channels) });
    const next = [record?.next_single, record?.next_digest].filter((time) => time !== null && time !== undefined);
    return {
      expired: record?.expired_at != null,
      due: record?.due_single != null,
      dueDigests: record?.due_digest != null,
      ...(next.length > 0 ? { nextDueAt: Math.min(...next) } : {}),
      ...(record?.next_expiry_at == null ? {} : { nextExpiryAt: record.next_expiry_at }),
    };
  }

  async cancel(filter: CancelFilter): Promise<number> {
    const { organizationId, deliveryId, notificationId, recipientId } = checkCancelFilter(filter);
    const shape = {
      organization: organizationId !== undefined,
      delivery: deliveryId !== undefined,
      notification: notificationId !== undefined,
      recipient: recipientId !== undefined,
    };
    const params = given({ now: this.store.clock.now(), organizationId, deliveryId, notificationId, recipientId });
    const scope = organizationId === undefined ? { global: 'cancel: the caller named rows and no organization' } : { organizationId };
    const { changes } = await this.store.write(cancelDeliveries(shape), params, scope);
    return changes ?? 0;
  }

  async list(filter: DeliveryFilter = {}): Promise<DeliveryPage> {
    const { limit, after } = checkListFilter(filter);
    const statement = listDeliveries({
      organization: filter.organizationId !== undefined,
      notification: filter.notificationId !== undefined,
      after: after !== undefined,
      status: filter.status,
    });
    const { organizationId, notificationId } = filter;
    const params = given({ organizationId, notificationId, afterAt: after?.time, afterId: after?.id, limit: limit + 1 });
    const records = await this.store.read<DeliveryRecord>(statement, params);
    return toPage(records.map(toDelivery), limit, ({ createdAt }) => createdAt);
  }

  /** Rows and the ids they converge on, in one transaction. */
  async #write(calls: readonly (readonly CheckedDelivery[])[], options: TransactionOption = {}): Promise<string[][]> {
    const rows = calls.flat();
    const now = this.store.clock.now();
    const scope = { organizationId: [...new Set(rows.map(({ organizationId }) => organizationId))] };
    const steps = rowChunks(rows, ({ payloadText }) => payloadText.length).map((chunk) => ({
      statement: insertDeliveries,
      params: { now, rows: JSON.stringify(chunk.map(toInsert)) },
      scope,
    }));
    if (options.trx && !this.store.interactive) {
      await this.store.batch(steps, options);
      return calls.map((call) => call.map(({ id }) => id));
    }
    const targets = rows.map(({ notificationId, recipientId, channel }, place) => ({
      place,
      notification_id: notificationId,
      recipient_id: recipientId,
      channel,
    }));
    const results = await this.store.batch([...steps, { statement: findTargets, params: { targets: JSON.stringify(targets) } }], {
      ...options,
      replayable: true,
    });
    const ids = new Map((results.at(-1)?.rows ?? []).map(({ place, id }) => [Number(place), String(id)]));
    let place = 0;
    return calls.map((call) => call.map(({ id }) => ids.get(place++) ?? refuseTakenId(id)));
  }

  async #claim(
    options: ClaimOptions,
    channelsWithRows: Statement,
    statement: (channelCount: number) => Statement,
    params: SqlParams,
  ): Promise<ClaimedDelivery[]> {
    const claim = checkClaimOptions(options, this.store.clock.now());
    if (!claim.skipReap) await this.#reap(claim.now);
    const channels = claim.channels ?? (await this.#pendingChannels(channelsWithRows));
    if (channels.length === 0) return [];
    const { rows } = await this.store.write<DeliveryRecord>(
      statement(channels.length),
      { ...params, ...claimParams(claim, channels), token: createClaimToken(this.#random) },
      DISPATCH,
    );
    return rows.map(toClaimed);
  }

  async #reap(now: number): Promise<number> {
    const { changes } = await this.store.write(reapDeliveries, { now, attemptLimit: DELIVERY_ATTEMPT_LIMIT }, DISPATCH);
    return changes ?? 0;
  }

  async #pendingChannels(statement: Statement): Promise<string[]> {
    const rows = await this.store.read<{ channel: string }>(statement, {});
    return rows.map(({ channel }) => channel);
  }

  /** One conditional statement on the claims' tokens; whoever is not among the rows it wrote has lost its claim. */
  async #settle(
    statement: Statement,
    param: 'acks' | 'claims',
    rows: readonly { id: string; token: string }[],
    params: SqlParams,
  ): Promise<AckOutcome[]> {
    if (rows.length === 0) return [];
    const now = this.store.clock.now();
    const result = await this.store.write<{ id: string }>(statement, { ...params, now, [param]: JSON.stringify(rows) }, DISPATCH);
    const held = new Set(result.rows.map(({ id }) => id));
    // A claim that appears twice is settled once: its first mention takes the id out.
    return rows.map(({ id }) => (held.delete(id) ? 'acked' : 'lost'));
  }
}

function byDueTime(a: ClaimedDelivery, b: ClaimedDelivery): number {
  return a.dueAt - b.dueAt || byCreation(a, b);
}

function byCreation(a: ClaimedDelivery, b: ClaimedDelivery): number {
  return a.id < b.id ? -1 : 1;
}

/** Groups by their earliest row, rows of a group by creation: RETURNING knows no order. */
function groupAfterGroup(rows: ClaimedDelivery[]): ClaimedDelivery[] {
  const place = new Map<string | null, number>();
  for (const { digestGroup } of rows.sort(byDueTime)) if (!place.has(digestGroup)) place.set(digestGroup, place.size);
  return rows.sort((a, b) => (place.get(a.digestGroup) as number) - (place.get(b.digestGroup) as number) || byCreation(a, b));
}

function claimParams(claim: CheckedClaim, channels: readonly string[]): SqlParams {
  return {
    nodeId: claim.nodeId,
    now: claim.now,
    expiresAt: claim.now + claim.claimTtlMs,
    fromSlot: claim.slots.from,
    toSlot: claim.slots.to,
    limit: claim.limit,
    channels: JSON.stringify(channels),
    ...Object.fromEntries(channels.map((channel, index) => [`c${index}`, channel])),
  };
}

function credential({ id, claimToken }: ClaimedDelivery): { id: string; token: string } {
  return { id, token: claimToken };
}

function toInsert(row: CheckedDelivery) {
  return {
    id: row.id,
    organization_id: row.organizationId,
    notification_id: row.notificationId,
    recipient_id: row.recipientId,
    channel: row.channel,
    topic: row.topic,
    payload: row.payloadText,
    due_at: row.dueAt,
    digest_key: row.digestKey,
    slot: row.slot,
  };
}

/** ON CONFLICT DO NOTHING passed over the row, and its target has none: so it was the id that was taken. */
function refuseTakenId(id: string): never {
  throw new InputError('INVALID_INPUT', `id: ${id} is another delivery's; give a fresh id, or none.`, { path: 'id' });
}

function given(params: Readonly<Record<string, string | number | undefined>>): SqlParams {
  return Object.fromEntries(Object.entries(params).filter((entry): entry is [string, string | number] => entry[1] !== undefined));
}

function weighRows(rows: readonly CheckedDelivery[]): number {
  return rows.reduce((weight, { payloadText }) => weight + rowWeight(payloadText.length), 0);
}

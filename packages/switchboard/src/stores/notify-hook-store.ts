import { randomUUID } from 'node:crypto';
import type {
  BoardEndpoint,
  HookDisabledReason,
  MadeNotifyHook,
  NotifyHook,
  NotifyHookList,
  OperatorHooks,
  Store,
} from '@bellhop/contracts';
import { BellhopError, InputError } from '@bellhop/kernel';
import { LookupFailure, makeWebhookSecret, type SecretSealer } from '@bellhop/outbound';
import { checkName } from '@bellhop/store';
import { checkHookInput, shownUrl } from '../notify/hook-input.js';
import {
  countHooks,
  deleteHook,
  destroyPreviousSecrets,
  disableHook,
  enableHook,
  endedPreviousSecret,
  FAILURES_MAX,
  type HookRecord,
  insertHook,
  listHooks,
  lockHookEndpoint,
  noteHookFailure,
  noteHookSuccess,
  rotateHook,
} from '../sql/notify-hooks.js';

/** Hooks an endpoint may have. */
export const DEFAULT_HOOK_MAX = 5;
/** Milliseconds that a replaced secret still signs. */
const PREVIOUS_VALID_MS = 24 * 3_600_000;

const HEALTH = { global: 'notify hooks: a delivery ended, of whichever organization the hook is' };
const SECRETS = { global: 'notify hooks: old secrets are over, whosever they are' };

/** Whose hooks. */
export type HookOwner = Pick<BoardEndpoint, 'id' | 'organizationId' | 'queues'>;
export type SecretSealing = Pick<SecretSealer, 'seal' | 'open'>;
/** Of `OutboundGuard`. */
export interface UrlGuard {
  check(url: string): Promise<unknown>;
}

export interface NotifyHookStoreOptions {
  readonly store: Store;
  readonly sealer: SecretSealing;
  readonly guard: UrlGuard;
  /** Hooks of one endpoint at most; 0 switches hooks off. Default 5. */
  readonly max?: number | undefined;
}

/**
 * Notify hooks, their secrets and their health. A secret is stored sealed to the hook's id and shown once.
 *
 * Invariants: creates that race never pass the ceiling; at a full one, or with hooks switched off, nothing is looked up in DNS.
 */
export class NotifyHookStore {
  readonly max: number;
  readonly #store: Store;
  readonly #sealer: SecretSealing;
  readonly #guard: UrlGuard;

  constructor({ store, sealer, guard, max = DEFAULT_HOOK_MAX }: NotifyHookStoreOptions) {
    this.#store = store;
    this.#sealer = sealer;
    this.#guard = guard;
    this.max = max;
  }

  /** The operations on the hooks of one endpoint. */
  of(endpoint: HookOwner): OperatorHooks {
    return {
      create: (input) => this.#create(endpoint, input),
      list: () => this.#list(endpoint),
      rotate: (id) => this.#rotate(endpoint, id),
      enable: (id) => this.#enable(endpoint, id),
      disable: (id) => this.#disable(endpoint, id),
      delete: (id) => this.#delete(endpoint, id),
    };
  }

  async #create(endpoint: HookOwner, input: unknown): Promise<MadeNotifyHook> {
    const { url, queues } = checkHookInput(input, endpoint);
    await this.#checkCeiling(endpoint);
    const id = `nh_${randomUUID()}`;
    const signingSecret = makeWebhookSecret();
    const secret = this.#sealer.seal(signingSecret, id);
    await this.#checkTarget(url);
    const owner = ownerParams(endpoint);
    const params = { ...owner, id, url, secret, queues: JSON.stringify(queues), now: this.#store.clock.now(), max: this.max };
    const results =
      this.#store.family === 'postgres'
        ? await this.#store.batch([
            { statement: lockHookEndpoint, params: owner },
            { statement: insertHook, params, scope: { organizationId: endpoint.organizationId } },
          ])
        : [await this.#store.write<Record<string, unknown>>(insertHook, params, { organizationId: endpoint.organizationId })];
    const record = results.at(-1)?.rows[0];
    if (record) return { hook: toHook(record as unknown as HookRecord), signingSecret };
    await this.#checkCeiling(endpoint);
    // Another hook went between the two statements: there was no room when it mattered.
    throw this.#ceiling();
  }

  /** @throws BellhopError `HOOK_CEILING`; `NOT_FOUND` when the endpoint is gone. */
  async #checkCeiling(endpoint: HookOwner): Promise<void> {
    if (this.max === 0) throw this.#ceiling();
    const [row] = await this.#store.read<{ used: number }>(countHooks, ownerParams(endpoint));
    if (!row) throw new BellhopError('NOT_FOUND', 'There is no such endpoint. List the endpoints to see which there are.');
    if (Number(row.used) >= this.max) throw this.#ceiling();
  }

  #ceiling(): BellhopError {
    return new BellhopError(
      'HOOK_CEILING',
      this.max === 0
        ? 'Notify hooks are switched off here: an endpoint may have 0. Consume by claiming, or ask the operator to allow hooks.'
        : `The endpoint has ${this.max} notify hooks, as many as it may have. Delete one first.`,
    );
  }

  async #checkTarget(url: string): Promise<void> {
    try {
      await this.#guard.check(url);
    } catch (cause) {
      if (!(cause instanceof LookupFailure)) throw cause;
      throw new InputError('INVALID_INPUT', 'url: its host name cannot be resolved; give one that can, or try again later.', {
        path: 'url',
        cause,
      });
    }
  }

  async #list(endpoint: HookOwner): Promise<NotifyHookList> {
    const records = await this.#store.read<HookRecord>(listHooks, ownerParams(endpoint));
    return { items: records.map(toHook), max: this.max };
  }

  async #rotate(endpoint: HookOwner, id: string): Promise<MadeNotifyHook> {
    const params = hookParams(endpoint, id);
    const signingSecret = makeWebhookSecret();
    const now = this.#store.clock.now();
    const { rows } = await this.#store.write<HookRecord>(
      rotateHook,
      { ...params, secret: this.#sealer.seal(signingSecret, params.id), previousUntil: now + PREVIOUS_VALID_MS, now },
      { organizationId: endpoint.organizationId },
    );
    return { hook: found(rows), signingSecret };
  }

  async #enable(endpoint: HookOwner, id: string): Promise<NotifyHook> {
    const params = { ...hookParams(endpoint, id), now: this.#store.clock.now() };
    return found((await this.#store.write<HookRecord>(enableHook, params, { organizationId: endpoint.organizationId })).rows);
  }

  async #disable(endpoint: HookOwner, id: string): Promise<NotifyHook> {
    const params = { ...hookParams(endpoint, id), now: this.#store.clock.now() };
    return found((await this.#store.write<HookRecord>(disableHook, params, { organizationId: endpoint.organizationId })).rows);
  }

  async #delete(endpoint: HookOwner, id: string): Promise<void> {
    const { changes } = await this.#store.write(deleteHook, hookParams(endpoint, id), { organizationId: endpoint.organizationId });
    if (changes !== 1) throw noSuchHook();
  }

  /** A delivery was accepted, by an answer of the class `outcome`. @param at epoch milliseconds of its last attempt. */
  async noteSuccess(id: string, outcome: string, at: number): Promise<void> {
    await this.#store.write(noteHookSuccess, { id, outcome, at }, HEALTH);
  }

  /** A delivery failed with all its attempts. @returns whether this was the failure that disabled the hook. */
  async noteFailure(id: string, outcome: string, at: number): Promise<boolean> {
    const params = { id, outcome, at };
    const { rows } = await this.#store.write<{ failures: number; disabled_reason: string | null }>(noteHookFailure, params, HEALTH);
    return rows[0]?.failures === FAILURES_MAX && rows[0].disabled_reason === 'consecutive_failures';
  }

  /** Forgets replaced secrets whose time is over. @returns how many. */
  async destroyOldSecrets(): Promise<number> {
    const { changes } = await this.#store.write(destroyPreviousSecrets, { now: this.#store.clock.now() }, SECRETS);
    return changes ?? 0;
  }

  /** SQL of 1 or 0: whether {@link destroyOldSecrets} has work; for a reaper's duty. */
  static readonly oldSecretsQuestion = endedPreviousSecret('CAST(:now AS BIGINT)');
}

function ownerParams(endpoint: HookOwner) {
  return { endpointId: endpoint.id, organizationId: endpoint.organizationId };
}

/** An id that is no text, or none that a store can hold, is one that does not exist. */
function hookParams(endpoint: HookOwner, id: string) {
  try {
    return { ...ownerParams(endpoint), id: checkName(id, 'id') };
  } catch {
    throw noSuchHook();
  }
}

function noSuchHook(): BellhopError {
  return new BellhopError('NOT_FOUND', 'There is no such notify hook of this endpoint. List the hooks to see which there are.');
}

function found(rows: readonly HookRecord[]): NotifyHook {
  if (!rows[0]) throw noSuchHook();
  return toHook(rows[0]);
}

function toHook(record: HookRecord): NotifyHook {
  return {
    id: record.id,
    endpointId: record.endpoint_id,
    url: shownUrl(record.url),
    queues: JSON.parse(record.queues) as string[],
    enabled: record.enabled === 1,
    disabledReason: record.disabled_reason as HookDisabledReason | null,
    failures: record.failures,
    lastAttemptAt: record.last_attempt_at,
    lastOutcome: record.last_outcome,
    createdAt: record.created_at,
    rotatedAt: record.rotated_at,
  };
}

import { randomUUID } from 'node:crypto';
import type { BoardEndpoint, Store } from '@bellhop/contracts';
import { checkPositive } from '@bellhop/store';
import type { CheckedVend } from '../endpoint-input.js';
import {
  type EndpointRecord,
  EXPIRED_ENDPOINT,
  endAttemptsOfMoved,
  endTodosOfRevoked,
  expireEndpoints,
  findEndpointByCredential,
  findEndpointById,
  findEndpointBySlug,
  findEndpointsByIds,
  findExpired,
  insertEndpoint,
  listEndpoints,
  revokeEndpoint,
  toEndpoint,
} from '../sql/endpoints.js';
import { SWEPT_PREFIX } from '../sql/todo-columns.js';

const ID_PREFIX = 'ep_';

/** What becomes the result of every todo that a revocation ends. */
const REVOKED_RESULT = JSON.stringify({ error: 'endpoint_revoked' });

const EXPIRY = { global: 'endpoint expiry: what has expired ends, whosever it is' };

export interface NewEndpoint extends CheckedVend {
  readonly organizationId: string;
  readonly credentialHash: string;
  readonly credentialPrefix: string;
}

export interface ExpiredEndpoint {
  readonly id: string;
  readonly organizationId: string;
}

/** Endpoints in the database. What ends one ends its todos and their attempts in the same transaction. */
export class EndpointStore {
  /** SQL of one row and one column, 1 or 0: whether `expire` has work. Param: `now`. */
  static readonly hasExpired = EXPIRED_ENDPOINT;

  readonly #store: Store;

  constructor({ store }: { readonly store: Store }) {
    this.#store = store;
  }

  /** @returns null where the slug is taken, by a revoked endpoint too. */
  async insert({ organizationId, ...endpoint }: NewEndpoint): Promise<BoardEndpoint | null> {
    const { rows } = await this.#store.write<EndpointRecord>(
      insertEndpoint,
      {
        id: ID_PREFIX + randomUUID(),
        organizationId,
        slug: endpoint.slug,
        credentialHash: endpoint.credentialHash,
        credentialPrefix: endpoint.credentialPrefix,
        queues: JSON.stringify(endpoint.queues),
        verbs: JSON.stringify(endpoint.verbs),
        expiresAt: endpoint.expiresAt,
        defaultLeaseMs: endpoint.defaultLeaseMs,
        now: this.#store.clock.now(),
      },
      { organizationId },
    );
    return rows[0] ? toEndpoint(rows[0]) : null;
  }

  /** Oldest first, revoked ones too. */
  async list(organizationId: string): Promise<BoardEndpoint[]> {
    return (await this.#store.read<EndpointRecord>(listEndpoints, { organizationId })).map(toEndpoint);
  }

  /** @param idOrSlug no slug can look like an id. */
  async find(idOrSlug: string, organizationId: string): Promise<BoardEndpoint | undefined> {
    const rows = idOrSlug.startsWith(ID_PREFIX)
      ? await this.#store.read<EndpointRecord>(findEndpointById, { id: idOrSlug, organizationId })
      : await this.#store.read<EndpointRecord>(findEndpointBySlug, { slug: idOrSlug, organizationId });
    return rows[0] && toEndpoint(rows[0]);
  }

  /** In any state: whether it may come in is the caller's to judge. */
  async byCredential(credentialHash: string): Promise<BoardEndpoint | undefined> {
    const [row] = await this.#store.read<EndpointRecord>(findEndpointByCredential, { credentialHash });
    return row && toEndpoint(row);
  }

  /** Those that are the organization's, in any state. */
  async byIds(ids: readonly string[], organizationId: string): Promise<BoardEndpoint[]> {
    const rows = await this.#store.read<EndpointRecord>(findEndpointsByIds, { ids: JSON.stringify(ids), organizationId });
    return rows.map(toEndpoint);
  }

  /**
   * Ends it, and makes dead letters of its todos that are pending, claimed or parked; what is in quarantine stays. Of one that is revoked already
   * it changes nothing.
   *
   * @returns the endpoint as it is then; undefined where the organization has none of that id.
   */
  async revoke(id: string, organizationId: string): Promise<BoardEndpoint | undefined> {
    const params = { now: this.#store.clock.now(), moved: SWEPT_PREFIX + randomUUID(), ids: JSON.stringify([id]) };
    const scope = { organizationId };
    const [, , , found] = await this.#store.batch([
      { statement: revokeEndpoint, params: { id, organizationId, now: params.now }, scope },
      { statement: endTodosOfRevoked, params: { ...params, organizationId, result: REVOKED_RESULT }, scope },
      { statement: endAttemptsOfMoved, params, scope },
      { statement: findEndpointById, params: { id, organizationId } },
    ]);
    const [row] = (found?.rows ?? []) as unknown as EndpointRecord[];
    return row && toEndpoint(row);
  }

  /**
   * Revokes active endpoints that have expired, as `revoke` does.
   *
   * @param limit of one call; call again until it returns fewer.
   * @returns those that this call revoked.
   */
  async expire(limit: number): Promise<ExpiredEndpoint[]> {
    const now = this.#store.clock.now();
    const due = await this.#store.read<{ id: string }>(findExpired, { now, limit: checkPositive(limit, 'limit') });
    if (due.length === 0) return [];
    const params = { now, moved: SWEPT_PREFIX + randomUUID(), ids: JSON.stringify(due.map(({ id }) => id)) };
    const [expired] = await this.#store.batch([
      { statement: expireEndpoints, params: { now, ids: params.ids }, scope: EXPIRY },
      { statement: endTodosOfRevoked, params: { ...params, organizationId: null, result: REVOKED_RESULT }, scope: EXPIRY },
      { statement: endAttemptsOfMoved, params, scope: EXPIRY },
    ]);
    const rows = (expired?.rows ?? []) as unknown as { id: string; organization_id: string }[];
    return rows.map((row) => ({ id: row.id, organizationId: row.organization_id }));
  }
}

import { randomUUID } from 'node:crypto';
import type { Store, WriteScope } from '@bellhop/contracts';
import { checkName } from '@bellhop/store';
import { hashApiKey, hintOf, makeApiKey } from './api-key.js';
import { findKey, getKey, getKeyByHash, insertFirstKey, insertKey, listKeys, revokeKey } from './key-statements.js';

/** What a key allows: one organization, or (`organizationId: null`) everything. */
export interface KeyGrant {
  readonly keyId: string;
  readonly organizationId: string | null;
}

/** A stored key. The key itself is not among it: nobody can show it again. Times are epoch milliseconds. */
export interface ApiKeyRecord extends KeyGrant {
  readonly hint: string;
  readonly label: string | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export interface MadeKey {
  readonly id: string;
  /** The only time it is seen. */
  readonly key: string;
}

export type Revocation = 'revoked' | 'revoked before' | 'unknown';

/** The id of the key that the first start makes: the same on every host, so that two of them cannot both make one. */
const FIRST_KEY_ID = 'key_first';

/** The rows of `api_key`. */
export class KeyStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * @param organizationId null makes a root key.
   * @throws InputError when the organization or the label is no name.
   */
  async create(organizationId: string | null, label: string | null = null): Promise<MadeKey> {
    if (organizationId !== null) checkName(organizationId, 'organization');
    if (label !== null) checkName(label, 'label');
    const id = `key_${randomUUID()}`;
    const key = makeApiKey(organizationId === null ? 'root' : 'organization');
    const params = { id, hash: hashApiKey(key), hint: hintOf(key), organizationId, label, now: this.#store.clock.now() };
    await this.#store.write(insertKey, params, scopeOf(organizationId));
    return { id, key };
  }

  /** Makes a root key unless the database has, or had, one. @returns null when it did. */
  async createFirst(): Promise<MadeKey | null> {
    const key = makeApiKey('root');
    const params = { id: FIRST_KEY_ID, hash: hashApiKey(key), hint: hintOf(key), now: this.#store.clock.now() };
    const { changes } = await this.#store.write(insertFirstKey, params, scopeOf(null));
    return changes === 1 ? { id: FIRST_KEY_ID, key } : null;
  }

  /** The grant of a key that is not revoked, with its hash. */
  async find(hash: string): Promise<(KeyGrant & { readonly hash: string }) | null> {
    const [row] = await this.#store.read<KeyRow & { hash: string }>(findKey, { hash });
    return row ? { keyId: row.id, organizationId: row.organization_id, hash: row.hash } : null;
  }

  /** The key with this hash, revoked or not. */
  async get(hash: string): Promise<ApiKeyRecord | null> {
    const [row] = await this.#store.read<KeyRow>(getKeyByHash, { hash });
    return row ? toRecord(row) : null;
  }

  /** Oldest first, revoked ones too. */
  async list(): Promise<ApiKeyRecord[]> {
    return (await this.#store.read<KeyRow>(listKeys, {})).map(toRecord);
  }

  async revoke(id: string): Promise<Revocation> {
    const [row] = await this.#store.read<KeyRow>(getKey, { id });
    if (!row) return 'unknown';
    const { changes } = await this.#store.write(revokeKey, { id, now: this.#store.clock.now() }, scopeOf(row.organization_id));
    return changes === 0 ? 'revoked before' : 'revoked';
  }
}

interface KeyRow {
  readonly id: string;
  readonly hint: string;
  readonly organization_id: string | null;
  readonly label: string | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

function toRecord(row: KeyRow): ApiKeyRecord {
  return {
    keyId: row.id,
    hint: row.hint,
    organizationId: row.organization_id,
    label: row.label,
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
  };
}

function scopeOf(organizationId: string | null): WriteScope {
  return organizationId === null ? { global: 'a root key belongs to the deployment, not to an organization' } : { organizationId };
}

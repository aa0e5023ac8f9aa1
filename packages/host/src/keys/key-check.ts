import type { Clock } from '@bellhop/kernel';
import { hashApiKey, isMadeKey, sameHash } from './api-key.js';
import type { KeyGrant, KeyStore } from './key-store.js';

/** Milliseconds for which a key found in the database is taken as good without another look: the longest a revoked key still works. */
export const KEY_CACHE_MS = 5_000;
/** Keys remembered at once; beyond it the one looked up longest ago is forgotten, which costs one read. */
const KEY_CACHE_LIMIT = 10_000;

export interface KeyCheckParts {
  readonly keys: Pick<KeyStore, 'find'>;
  /** The root key of the environment, if there is one. */
  readonly rootKey: string | undefined;
  readonly clock: Clock;
}

interface Known {
  readonly grant: KeyGrant;
  /** Monotonic. */
  readonly until: number;
}

/**
 * Says what a presented key allows. A good key costs one read per {@link KEY_CACHE_MS}, however many requests carry it; a bad one is never
 * remembered, so that a key works from the moment it is made, and costs a read only when it has the form of a made key.
 */
export class KeyCheck {
  readonly #keys: KeyCheckParts['keys'];
  readonly #rootHash: string | undefined;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #looking = new Map<string, Promise<KeyGrant | null>>();

  constructor({ keys, rootKey, clock }: KeyCheckParts) {
    this.#keys = keys;
    this.#rootHash = rootKey === undefined ? undefined : hashApiKey(rootKey);
    this.#clock = clock;
  }

  /** @returns null for a key that is unknown or revoked. @throws StoreError when the database cannot be asked. */
  async check(key: string): Promise<KeyGrant | null> {
    const hash = hashApiKey(key);
    if (this.#rootHash !== undefined && sameHash(hash, this.#rootHash)) return { keyId: 'BELLHOP_API_KEY', organizationId: null };
    if (!isMadeKey(key)) return null;
    const known = this.#known.get(hash);
    if (known && this.#clock.monotonic() < known.until) return known.grant;
    const looking = this.#looking.get(hash) ?? this.#look(hash);
    this.#looking.set(hash, looking);
    return looking;
  }

  async #look(hash: string): Promise<KeyGrant | null> {
    // From before the read: a revocation that the read just missed still ends within the promised time.
    const until = this.#clock.monotonic() + KEY_CACHE_MS;
    try {
      const found = await this.#keys.find(hash);
      this.#known.delete(hash);
      if (!found || !sameHash(found.hash, hash)) return null;
      const grant = { keyId: found.keyId, organizationId: found.organizationId };
      this.#remember(hash, { grant, until });
      return grant;
    } finally {
      this.#looking.delete(hash);
    }
  }

  #remember(hash: string, known: Known): void {
    this.#known.set(hash, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEY_CACHE_LIMIT && oldest !== undefined) this.#known.delete(oldest);
  }
}

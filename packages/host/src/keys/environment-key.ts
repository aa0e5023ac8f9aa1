/**
 * What `BELLHOP_API_KEY` is to a database. A key that the database holds is that key, with its reach, and ends when it is revoked: taken for a
 * root key because it stands in the environment, it would outlive its revocation. Any other is a root key.
 */
import { BellhopError } from '@bellhop/kernel';
import { hashApiKey, isMadeKey } from './api-key.js';
import type { ApiKeyRecord, KeyStore } from './key-store.js';

/** The stored key, revoked or not, that is the given one. Reads only when it has the form of a made key. */
export async function storedKey(keys: Pick<KeyStore, 'get'>, key: string | undefined): Promise<ApiKeyRecord | null> {
  return key !== undefined && isMadeKey(key) ? keys.get(hashApiKey(key)) : null;
}

/**
 * @returns the root key that only the environment holds; undefined when there is none.
 * @throws BellhopError `CONFIG` for a key that was revoked: whoever revoked it wants nobody to use it.
 */
export async function environmentRootKey(keys: Pick<KeyStore, 'get'>, key: string | undefined): Promise<string | undefined> {
  const stored = await storedKey(keys, key);
  if (stored === null) return key;
  if (stored.revokedAt !== null) throw new BellhopError('CONFIG', revokedText(stored));
  return undefined;
}

export function revokedText({ keyId, hint }: ApiKeyRecord): string {
  return `BELLHOP_API_KEY holds ${hint}, the key ${keyId}, which was revoked. Unset it, or set it to a key that was not; \`bellhop keys create --root\` makes one.`;
}

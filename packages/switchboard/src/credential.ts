import { createHash, randomBytes } from 'node:crypto';

/** What a credential or the token of a webhook's URL is: a prefix that says its kind, then 256 random bits. Only its hash is ever stored. */
const PREFIX = { endpoint: 'sbk_', webhook: 'wht_', fence: 'lse_' } as const;

const SECRET_BYTES = 32;

/** Not from the injected random source: a credential that a test can predict is one that an attacker can. */
export function makeCredential(kind: keyof typeof PREFIX): string {
  return PREFIX[kind] + randomBytes(SECRET_BYTES).toString('base64url');
}

/** SHA-256, in hex. There are 256 random bits in it, so there is nothing to guess and a slow hash would guard nothing. */
export function hashCredential(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
}

/** The part that may be shown: `sbk_Ab3x…`. */
export function credentialPrefix(credential: string): string {
  return `${credential.slice(0, 8)}…`;
}

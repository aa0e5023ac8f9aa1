/** What an API key is: a prefix that says its kind, then 256 random bits. Only its hash is ever stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export type KeyKind = 'root' | 'organization';

/** Says the kind to whoever finds a key, and lets secret scanners find it. */
const PREFIX: Readonly<Record<KeyKind, string>> = { root: 'bh_root_', organization: 'bh_org_' };
const SECRET_BYTES = 32;
/** 32 bytes as base64url. */
const SECRET_CHARACTERS = 43;
const FORM = /^bh_(?:root|org)_[A-Za-z0-9_-]{43}$/;
/** Characters of the secret that a list shows, so that a key can be told from its neighbours: 24 of its 256 bits. */
const HINT_CHARACTERS = 4;

/** Makes a key. Not from the injected random source: a key that a test can predict is one that an attacker can. */
export function makeApiKey(kind: KeyKind): string {
  return PREFIX[kind] + randomBytes(SECRET_BYTES).toString('base64url');
}

/** True for what {@link makeApiKey} makes: anything else cannot be in the table and needs no look. */
export function isMadeKey(key: string): boolean {
  return FORM.test(key);
}

/** SHA-256, in hex. A key holds 256 random bits, so there is nothing to guess and a slow hash would guard nothing. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Compares two hashes in constant time. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The part of a made key that may be shown: `bh_org_Ab3x…`. */
export function hintOf(key: string): string {
  return `${/^bh_(?:root|org)_/.exec(key)?.[0] ?? ''}${key.slice(-SECRET_CHARACTERS).slice(0, HINT_CHARACTERS)}…`;
}

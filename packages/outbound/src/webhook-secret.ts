/** Secrets of Standard Webhooks: `whsec_` and the HMAC key in padded standard base64. A secret is never part of an error message. */
import { randomBytes } from 'node:crypto';
import { InputError } from '@bellhop/kernel';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;
/** As the Standard Webhooks specification bounds a key. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/** A secret with 32 random bytes. */
export function makeWebhookSecret(): string {
  return `${PREFIX}${randomBytes(KEY_BYTES).toString('base64')}`;
}

/**
 * The HMAC key of a secret: its decoded bytes, not its text.
 *
 * @throws InputError `INVALID_INPUT` for anything but `whsec_` and 24 to 64 bytes in padded base64.
 */
export function webhookKey(secret: string, path: string): Buffer {
  const encoded = typeof secret === 'string' && secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  // Node skips what is no base64, so only the way back tells whether all of it was.
  if (key.toString('base64') !== encoded || key.length < MIN_KEY_BYTES || key.length > MAX_KEY_BYTES) {
    throw new InputError(
      'INVALID_INPUT',
      `${path}: a webhook secret is whsec_ and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in padded base64; the one given is not.`,
      { path },
    );
  }
  return key;
}

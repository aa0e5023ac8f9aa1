/**
 * Seals secrets for the database with AES-256-GCM, each to its context (the id of the row it is kept in), so that a sealed value copied into
 * another row does not open. Must never show a key or a plain secret in an error, nor give back a value that was stored unsealed.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { BellhopError, InputError } from '@bellhop/kernel';

const ENVELOPE = 'enc:v1:';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HOW_TO_MAKE =
  'Make a key with `openssl rand -base64 32`, set it as BELLHOP_ENCRYPTION_KEY, and keep it: what it sealed opens with no other';

export class SecretSealer {
  readonly #key: KeyObject | undefined;

  private constructor(key: KeyObject | undefined) {
    this.#key = key;
  }

  /**
   * @param base64Key 32 bytes in standard base64 (44 characters); blanks around it are ignored. Without one, or with an empty one, the sealer is not usable.
   * @throws BellhopError `ENCRYPTION_KEY` for anything else.
   */
  static fromKey(base64Key: string | undefined): SecretSealer {
    const text = base64Key?.trim() ?? '';
    if (text === '') return new SecretSealer(undefined);
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text) {
      throw new BellhopError(
        'ENCRYPTION_KEY',
        `The encryption key has ${text.length} characters, and is not ${KEY_BYTES} bytes in standard base64 (44 characters, the last one =). ${HOW_TO_MAKE}.`,
      );
    }
    return new SecretSealer(createSecretKey(bytes));
  }

  /** Whether there is a key. */
  get usable(): boolean {
    return this.#key !== undefined;
  }

  /**
   * @param context what the value belongs to, as the id of its row; it opens only with the same one. Not empty.
   * @returns `enc:v1:` and three parts in base64url with full stops between: IV, ciphertext, tag.
   * @throws BellhopError `ENCRYPTION_KEY` without a key; InputError `INVALID_INPUT` for an empty context.
   */
  seal(plain: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.requireKey(), iv, { authTagLength: TAG_BYTES }).setAAD(boundData(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return ENVELOPE + [iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url')).join('.');
  }

  /**
   * @throws BellhopError `ENCRYPTION_KEY` without a key; `SEALED_VALUE` for a value that is not sealed, was altered, or was sealed with another
   * key or context; InputError `INVALID_INPUT` for an empty context.
   */
  open(sealed: string, context: string): string {
    const key = this.requireKey();
    const aad = boundData(context);
    const { iv, data, tag } = partsOf(sealed);
    try {
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(aad).setAuthTag(tag);
      return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
    } catch {
      throw new BellhopError(
        'SEALED_VALUE',
        'A stored secret does not open: it was altered, or sealed with another BELLHOP_ENCRYPTION_KEY or for another record. Restore the key it was sealed with, or set the secret anew.',
      );
    }
  }

  private requireKey(): KeyObject {
    if (this.#key !== undefined) return this.#key;
    throw new BellhopError('ENCRYPTION_KEY', `Secrets are kept sealed only, and no encryption key is set. ${HOW_TO_MAKE}.`);
  }
}

/** The envelope's version is bound too: a later one cannot be passed off as this. */
function boundData(context: string): Buffer {
  if (context === '')
    throw new InputError('INVALID_INPUT', 'context: an empty text was given; name what the secret belongs to.', { path: 'context' });
  return Buffer.from(ENVELOPE + context, 'utf8');
}

function partsOf(sealed: string): { iv: Buffer; data: Buffer; tag: Buffer } {
  const texts = sealed.startsWith(ENVELOPE) ? sealed.slice(ENVELOPE.length).split('.') : [];
  const parts = texts.map((text) => Buffer.from(text, 'base64url'));
  const [iv, data, tag] = parts;
  const canonical = parts.every((part, index) => part.toString('base64url') === texts[index]);
  if (parts.length !== 3 || !canonical || iv?.length !== IV_BYTES || tag?.length !== TAG_BYTES || data === undefined) {
    throw new BellhopError(
      'SEALED_VALUE',
      `A stored secret is not in the sealed form (${ENVELOPE}…) and is not read. Set the secret anew, so that it is sealed.`,
    );
  }
  return { iv, data, tag };
}

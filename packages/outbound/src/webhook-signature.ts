/**
 * Signs and verifies messages as Standard Webhooks does: HMAC-SHA256 over `id.timestamp.body`. Signs exactly the bytes that are sent, so a
 * body must never be parsed and written anew between the two.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { InputError } from '@bellhop/kernel';
import { webhookKey } from './webhook-secret.js';

export interface WebhookMessage {
  /** Stable over the attempts of one message. 1 to 128 visible ASCII characters without a full stop. */
  readonly id: string;
  /** Time of the attempt in epoch milliseconds; sent in whole seconds. */
  readonly timestampMs: number;
  readonly body: string | Uint8Array;
  /** One or more, as `makeWebhookSecret` makes them; two while a secret is being replaced. */
  readonly secrets: readonly string[];
}

export interface WebhookHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export interface WebhookToVerify {
  /** In any case, as Node's `IncomingHttpHeaders` or a plain record. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came, byte for byte. */
  readonly body: Uint8Array;
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** How far the message's time may be from `nowMs`, either way. Default 300 000. */
  readonly toleranceMs?: number | undefined;
}

const VERSION = 'v1';
const DEFAULT_TOLERANCE_MS = 300_000;
// A full stop would let two different messages have one signed text.
const ID = /^[\x21-\x2d\x2f-\x7e]{1,128}$/;

/** @throws InputError `INVALID_INPUT` for an id, time or secret that is malformed, or no secret. */
export function signWebhook({ id, timestampMs, body, secrets }: WebhookMessage): WebhookHeaders {
  if (!ID.test(id)) throw badInput('id', 'give 1 to 128 visible ASCII characters without a full stop');
  if (!Number.isFinite(timestampMs) || timestampMs < 0) throw badInput('timestampMs', 'give epoch milliseconds');
  if (secrets.length === 0) throw badInput('secrets', 'give one or more');
  const timestamp = String(Math.floor(timestampMs / 1_000));
  const signatures = secrets.map((secret, index) => {
    const signature = digest(webhookKey(secret, `secrets.${index}`), id, timestamp, body);
    return `${VERSION},${signature.toString('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * Whether one of the message's `v1` signatures is by this secret and its time is near enough; signatures of other versions are skipped. False
 * also when a header is missing or malformed.
 *
 * @throws InputError `INVALID_INPUT` for a secret that is malformed: that is a fault of the receiver's configuration, not of the message.
 */
export function verifyWebhook({ headers, body, secret, nowMs, toleranceMs = DEFAULT_TOLERANCE_MS }: WebhookToVerify): boolean {
  const key = webhookKey(secret, 'secret');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !given || !/^\d{1,12}$/.test(timestamp)) return false;
  if (!(Math.abs(nowMs - Number(timestamp) * 1_000) <= toleranceMs)) return false;
  const expected = Buffer.from(`${VERSION},${digest(key, id, timestamp, body).toString('base64')}`);
  return given.split(' ').some((signature) => equal(Buffer.from(signature), expected));
}

function digest(key: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}

/** In a time that tells nothing about how much of the two is the same; their lengths are no secret. */
function equal(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Undefined also when the header came more than once: which of the two was signed is anyone's guess. */
function headerOf(headers: WebhookToVerify['headers'], name: string): string | undefined {
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? values[0] : undefined;
}

function badInput(path: string, allowed: string): InputError {
  return new InputError('INVALID_INPUT', `${path}: what was given cannot be signed; ${allowed}.`, { path });
}

/**
 * Whether a request is signed by who it says it is from. Signatures are of the raw bytes: a body must never be parsed before it is verified, nor
 * written anew for it. Every comparison takes a time that tells nothing of how much was right.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookSource } from '@bellhop/contracts';
import { verifyWebhook } from '@bellhop/outbound';

export type SigningSource = Exclude<WebhookSource, 'generic'>;

export interface SignedRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** How far the time that is signed may be from ours, either way: an old request that somebody kept is refused. */
const TOLERANCE_MS = 300_000;

const VERIFIERS: Readonly<Record<SigningSource, (request: SignedRequest) => boolean>> = {
  github: ({ headers, body, secret }) => {
    const [, hex] = /^sha256=(.*)$/.exec(headers['x-hub-signature-256'] ?? '') ?? [];
    return isHex(hex, hmac(secret, body));
  },
  gitea: ({ headers, body, secret }) => isHex(headers['x-gitea-signature'], hmac(secret, body)),
  stripe: ({ headers, body, secret, nowMs }) => {
    const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('='));
    const all = (name: string) => parts.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
    const [timestamp, another] = all('t');
    // Which of two times was signed is anyone's guess.
    if (timestamp === undefined || another !== undefined || !isNear(timestamp, nowMs)) return false;
    const expected = hmac(secret, `${timestamp}.`, body);
    return all('v1').some((hex) => isHex(hex, expected));
  },
  slack: ({ headers, body, secret, nowMs }) => {
    const timestamp = headers['x-slack-request-timestamp'];
    if (!isNear(timestamp, nowMs)) return false;
    const [, hex] = /^v0=(.*)$/.exec(headers['x-slack-signature'] ?? '') ?? [];
    return isHex(hex, hmac(secret, `v0:${timestamp}:`, body));
  },
  standard: (request) => verifyWebhook({ ...request, toleranceMs: TOLERANCE_MS }),
};

/** False also where a header is missing or malformed. */
export function verifySignature(source: SigningSource, request: SignedRequest): boolean {
  return VERIFIERS[source](request);
}

/** @throws InputError `INVALID_INPUT`, path `secret`, for what is no secret of Standard Webhooks. */
export function checkStandardSecret(secret: string): void {
  // It decodes the secret before anything else, and an empty message is signed by nobody.
  verifyWebhook({ headers: {}, body: new Uint8Array(), secret, nowMs: 0 });
}

function hmac(secret: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const digest = createHmac('sha256', secret);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

function isHex(given: string | undefined, expected: Buffer): boolean {
  if (given === undefined || !/^[0-9a-f]{64}$/i.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), expected);
}

/** @param seconds epoch seconds, as decimal digits. */
function isNear(seconds: string | undefined, nowMs: number): boolean {
  return seconds !== undefined && /^\d{1,12}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1_000) <= TOLERANCE_MS;
}

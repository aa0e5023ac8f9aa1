import { createHmac } from 'node:crypto';
import { makeWebhookSecret } from '@bellhop/outbound';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { checkStandardSecret, type SigningSource, verifySignature } from './signatures.js';

const NOW = Date.UTC(2026, 0, 1);
const SECRET = 'it is a secret';
const STANDARD_SECRET = makeWebhookSecret();
/** No UTF-8: whoever verifies a text instead of the bytes verifies another message. */
const BODY = Buffer.concat([Buffer.from('{"a": "é'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);

const hmac = (secret: string, ...parts: (string | Uint8Array)[]) => {
  const digest = createHmac('sha256', secret);
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
};

type Headers = Record<string, string>;

/** How each source signs, at a time in epoch seconds. */
const SIGN: Record<SigningSource, (body: Uint8Array, secret: string, seconds: number) => Headers> = {
  github: (body, secret) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, body)}` }),
  gitea: (body, secret) => ({ 'x-gitea-signature': hmac(secret, body) }),
  stripe: (body, secret, t) => ({ 'stripe-signature': `t=${t},v1=${hmac(secret, `${t}.`, body)}` }),
  slack: (body, secret, t) => ({ 'x-slack-request-timestamp': `${t}`, 'x-slack-signature': `v0=${hmac(secret, `v0:${t}:`, body)}` }),
  standard: (body, secret, t) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`msg_1.${t}.`).update(body).digest('base64');
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': `${t}`, 'webhook-signature': `v1,${signature}` };
  },
};
const SOURCES = Object.keys(SIGN) as SigningSource[];
const TIMED: readonly SigningSource[] = ['stripe', 'slack', 'standard'];
const SECONDS = NOW / 1_000;

const secretOf = (source: SigningSource) => (source === 'standard' ? STANDARD_SECRET : SECRET);
const otherSecret = (source: SigningSource) => (source === 'standard' ? makeWebhookSecret() : 'another');
const verify = (source: SigningSource, headers: Headers, body: Uint8Array = BODY) =>
  verifySignature(source, { headers, body, secret: secretOf(source), nowMs: NOW });
const signed = (source: SigningSource, seconds = SECONDS) => SIGN[source](BODY, secretOf(source), seconds);

describe.each(SOURCES)('a signature of %s', (source) => {
  it('is right over the raw bytes', () => {
    expect(verify(source, signed(source))).toBe(true);
  });

  it('is refused over another body, by one byte', () => {
    const other = Buffer.from(BODY);
    other[0] = 0x5b;
    expect(verify(source, signed(source), other)).toBe(false);
    expect(verify(source, signed(source), BODY.subarray(1))).toBe(false);
    expect(verify(source, signed(source), Buffer.from(BODY.toString()))).toBe(false);
  });

  it('is refused with another secret', () => {
    expect(verify(source, SIGN[source](BODY, otherSecret(source), SECONDS))).toBe(false);
  });

  it('is refused where any of its headers is missing, empty, cut or followed by more', () => {
    const headers = signed(source);
    for (const name of Object.keys(headers)) {
      const { [name]: value = '', ...rest } = headers;
      expect(verify(source, rest)).toBe(false);
      expect(verify(source, { ...headers, [name]: '' })).toBe(false);
      expect(verify(source, { ...headers, [name]: value.slice(0, -1) })).toBe(false);
      expect(verify(source, { ...headers, [name]: `${value}0` })).toBe(false);
      expect(verify(source, { ...headers, [name]: '\u{1f4a3}'.repeat(5_000) })).toBe(false);
    }
  });

  it('is no signature of another source', () => {
    for (const other of SOURCES) if (other !== source) expect(verify(other, signed(source))).toBe(false);
  });

  it(TIMED.includes(source) ? 'is refused once it is over 5 minutes off' : 'has no time', () => {
    for (const [offset, near] of [
      [-300, true],
      [300, true],
      [-301, false],
      [301, false],
    ] as const) {
      expect(verify(source, signed(source, SECONDS + offset))).toBe(near || !TIMED.includes(source));
    }
  });
});

it('takes any of several Stripe signatures, and none of two times', () => {
  const right = hmac(SECRET, `${SECONDS}.`, BODY);
  const wrong = '0'.repeat(64);
  expect(verify('stripe', { 'stripe-signature': `t=${SECONDS},v1=${wrong},v1=${right},v0=${wrong}` })).toBe(true);
  expect(verify('stripe', { 'stripe-signature': `t=${SECONDS},v0=${right}` })).toBe(false);
  expect(verify('stripe', { 'stripe-signature': `t=${SECONDS},t=${SECONDS},v1=${right}` })).toBe(false);
  expect(verify('stripe', { 'stripe-signature': `v1=${right}` })).toBe(false);
});

it('refuses a time that is no number of seconds, though it is signed', () => {
  for (const time of ['', 'NaN', '-1', '1e9', ' 1', '9'.repeat(400)]) {
    const stripe = { 'stripe-signature': `t=${time},v1=${hmac(SECRET, `${time}.`, BODY)}` };
    const slack = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hmac(SECRET, `v0:${time}:`, BODY)}` };
    expect(verify('stripe', stripe)).toBe(false);
    expect(verify('slack', slack)).toBe(false);
  }
});

it('takes what the official library signed', () => {
  const text = '{"type":"invoice.paid"}';
  const at = new Date(NOW);
  const headers = {
    'webhook-id': 'msg_2',
    'webhook-timestamp': `${SECONDS}`,
    'webhook-signature': new Webhook(STANDARD_SECRET).sign('msg_2', at, text),
  };
  expect(verify('standard', headers, Buffer.from(text))).toBe(true);
  expect(verify('standard', { ...headers, 'webhook-id': 'msg_3' }, Buffer.from(text))).toBe(false);
  expect(verify('standard', headers, Buffer.from(`${text} `))).toBe(false);
});

it('tells a secret of Standard Webhooks from another text', () => {
  checkStandardSecret(STANDARD_SECRET);
  for (const secret of ['', 'plain', 'whsec_', 'whsec_!!!!', STANDARD_SECRET.slice('whsec_'.length)]) {
    expect(() => checkStandardSecret(secret)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: 'secret' }));
  }
});

import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeWebhookSecret } from './webhook-secret.js';
import { signWebhook, verifyWebhook, type WebhookToVerify } from './webhook-signature.js';

const NOW_MS = Date.UTC(2026, 0, 1, 12, 0, 0, 789);
const SECRET = makeWebhookSecret();
const OTHER = makeWebhookSecret();
const BODIES = ['{}', '', '{"text":"täglich 漢字 🛎"}', '{"a":1}\n', '[1, 2 ,3]', '"x.y.z"'];

/** The official library reads the time itself. */
beforeEach(() => void vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('makeWebhookSecret', () => {
  it('makes whsec_ and 32 bytes in padded base64, another each time', () => {
    expect(SECRET).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set(Array.from({ length: 100 }, makeWebhookSecret)).size).toBe(100);
  });
});

describe('signWebhook', () => {
  it.each(BODIES)('signs %j so that the official library verifies it', (body) => {
    const headers = { ...signWebhook({ id: 'msg_1', timestampMs: NOW_MS, body, secrets: [SECRET] }) };
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(NOW_MS / 1_000)));
    expect(() => new Webhook(SECRET).verify(body, headers, { jsonParse: false })).not.toThrow();
    expect(() => new Webhook(OTHER).verify(body, headers, { jsonParse: false })).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(`${body} `, headers, { jsonParse: false })).toThrow('No matching signature');
  });

  it('matches the signature of the official library to the letter', () => {
    const { 'webhook-signature': signature } = signWebhook({ id: 'msg_1', timestampMs: NOW_MS, body: 'b', secrets: [SECRET] });
    expect(signature).toBe(new Webhook(SECRET).sign('msg_1', new Date(NOW_MS), 'b'));
  });

  it('gives one signature per secret, either of which verifies', () => {
    const headers = { ...signWebhook({ id: 'msg_1', timestampMs: NOW_MS, body: '{}', secrets: [SECRET, OTHER] }) };
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [SECRET, OTHER]) expect(new Webhook(secret).verify('{}', headers)).toEqual({});
    expect(() => new Webhook(makeWebhookSecret()).verify('{}', headers)).toThrow('No matching signature');
  });

  it('signs bytes as it signs their text', () => {
    const message = { id: 'msg_1', timestampMs: NOW_MS, secrets: [SECRET] };
    expect(signWebhook({ ...message, body: Buffer.from('ü') })).toEqual(signWebhook({ ...message, body: 'ü' }));
  });

  it.each([
    ['id', { id: '' }],
    ['id', { id: 'a.b' }],
    ['id', { id: 'a\nb' }],
    ['id', { id: 'x'.repeat(129) }],
    ['timestampMs', { timestampMs: Number.NaN }],
    ['timestampMs', { timestampMs: -1 }],
    ['secrets', { secrets: [] }],
    ['secrets.1', { secrets: [SECRET, 'whsec_c2hvcnQ='] }],
    ['secrets.0', { secrets: [SECRET.slice(6)] }],
    ['secrets.0', { secrets: [SECRET.slice(0, -1)] }],
    ['secrets.0', { secrets: [`whsec_${'00ff'.repeat(16)}!`] }],
    ['secrets.0', { secrets: [`whsec_${Buffer.alloc(65).toString('base64')}`] }],
  ])('refuses a bad %s', (path, bad) => {
    const sign = () => signWebhook({ id: 'msg_1', timestampMs: NOW_MS, body: '', secrets: [SECRET], ...bad });
    expect(sign).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path }));
    for (const secret of 'secrets' in bad ? bad.secrets : []) {
      expect(sign).not.toThrow(secret.replace('whsec_', ''));
    }
  });
});

describe('verifyWebhook', () => {
  const signature = (secret: string, body: string) => new Webhook(secret).sign('msg_1', new Date(NOW_MS), body);
  const message = (body: string, more: Partial<WebhookToVerify['headers']> = {}): WebhookToVerify => ({
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(NOW_MS / 1_000)),
      'webhook-signature': signature(SECRET, body),
      ...more,
    },
    body: Buffer.from(body),
    secret: SECRET,
    nowMs: NOW_MS,
  });

  it.each(BODIES)('accepts what the official library signed: %j', (body) => {
    expect(verifyWebhook(message(body))).toBe(true);
    expect(verifyWebhook({ ...message(body), secret: OTHER })).toBe(false);
    expect(verifyWebhook({ ...message(body), body: Buffer.from(`${body} `) })).toBe(false);
  });

  it('takes the body as bytes, also such as are no text', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    const headers = { ...signWebhook({ id: 'msg_1', timestampMs: NOW_MS, body, secrets: [SECRET] }) };
    expect(verifyWebhook({ headers, body, secret: SECRET, nowMs: NOW_MS })).toBe(true);
    expect(verifyWebhook({ headers, body: Buffer.from([0xff, 0xfd, 0x00, 0x80]), secret: SECRET, nowMs: NOW_MS })).toBe(false);
  });

  const good = signature(SECRET, '{}');
  const bad = signature(OTHER, '{}');
  it.each([
    [`${bad} ${good}`, true],
    [`${good} ${bad}`, true],
    [`v1a,${'A'.repeat(86)}== ${good}`, true],
    [`v2,x ${good}`, true],
    [`${bad} ${bad}`, false],
    [good.replace('v1,', 'v2,'), false],
    [good.replace('v1,', 'v1a,'), false],
    [good.slice(3), false],
    [good.slice(0, -1), false],
    [`${good}=`, false],
    [`v1,${Buffer.from(good.slice(3), 'base64').toString('hex')}`, false],
    ['v1,', false],
    ['v1', false],
    ['', false],
    [' ', false],
  ])('reads the signatures %j: %s', (given, expected) => {
    expect(verifyWebhook(message('{}', { 'webhook-signature': given }))).toBe(expected);
  });

  it('takes header names in any case, and no header twice', () => {
    const { headers, ...rest } = message('{}');
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(verifyWebhook({ ...rest, headers: upper })).toBe(true);
    expect(verifyWebhook({ ...rest, headers: { ...headers, ...upper } })).toBe(false);
    expect(verifyWebhook({ ...rest, headers: { ...headers, 'webhook-id': ['msg_1', 'msg_1'] } })).toBe(false);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('rejects a message without %s', (name) => {
    expect(verifyWebhook(message('{}', { [name]: undefined }))).toBe(false);
    expect(verifyWebhook(message('{}', { [name]: '' }))).toBe(false);
    expect(verifyWebhook(message('{}'))).toBe(true);
  });

  it('rejects a message under another id or time', () => {
    expect(verifyWebhook(message('{}', { 'webhook-id': 'msg_2' }))).toBe(false);
    expect(verifyWebhook(message('{}', { 'webhook-timestamp': String(Math.floor(NOW_MS / 1_000) + 1) }))).toBe(false);
  });

  it.each(['abc', '1e9', '-1', '1.5', ' 1', 'NaN', '9'.repeat(13)])('rejects the time %j', (timestamp) => {
    expect(verifyWebhook({ ...message('{}', { 'webhook-timestamp': timestamp }), toleranceMs: Number.MAX_SAFE_INTEGER })).toBe(false);
  });

  it.each([
    [0, undefined, true],
    [300_000, undefined, true],
    [300_001, undefined, false],
    [-300_000, undefined, true],
    [-300_001, undefined, false],
    [1_000, 1_000, true],
    [1_001, 1_000, false],
  ])('with a clock off by %i ms and a tolerance of %s: %s', (offMs, toleranceMs, expected) => {
    const sentAt = Math.floor(NOW_MS / 1_000) * 1_000;
    expect(verifyWebhook({ ...message('{}'), nowMs: sentAt + offMs, toleranceMs })).toBe(expected);
  });

  it('throws for a secret that is none', () => {
    expect(() => verifyWebhook({ ...message('{}'), secret: 'hush' })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', path: 'secret', message: expect.not.stringContaining('hush') }),
    );
  });
});

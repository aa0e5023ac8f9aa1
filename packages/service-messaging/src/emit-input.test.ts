import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { checkEmitInput } from './emit-input.js';

const minimal = { topic: 'order.placed', audience: 'u1' };

function refusal(input: unknown, at?: string): InputError {
  try {
    checkEmitInput(input, at);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
  throw new Error('taken');
}

describe('checkEmitInput', () => {
  it('fills in every default', () => {
    expect(checkEmitInput(minimal)).toEqual({
      topic: 'order.placed',
      recipients: ['u1'],
      payload: null,
      payloadText: null,
      severity: 'info',
      dedupKey: null,
      source: null,
      actorId: null,
      organizationId: 'default',
      channels: ['inbox'],
      notBefore: null,
    });
  });

  it('takes everything the contract names', () => {
    const input = {
      ...minimal,
      payload: { title: 'T', body: 'B', url: '/x', severity: 'warning', deep: [1, { a: null }] },
      severity: 'critical',
      dedupKey: 'k',
      source: { type: 'order', id: '7' },
      actorId: 'u9',
      organizationId: 'acme',
      channels: ['email', 'inbox', 'email'],
      notBefore: 1_000,
    };
    expect(checkEmitInput(input)).toEqual({
      topic: 'order.placed',
      recipients: ['u1'],
      payload: input.payload,
      payloadText: JSON.stringify(input.payload),
      severity: 'critical',
      dedupKey: 'k',
      source: { type: 'order', id: '7' },
      actorId: 'u9',
      organizationId: 'acme',
      channels: ['email', 'inbox'],
      notBefore: 1_000,
    });
  });

  it('takes the severity of the payload when the emit names none', () => {
    expect(checkEmitInput({ ...minimal, payload: { severity: 'warning' } }).severity).toBe('warning');
  });

  it('takes fields that are undefined as absent, and no channels as the default', () => {
    expect(checkEmitInput({ ...minimal, dedupKey: undefined, channels: [] })).toEqual(checkEmitInput(minimal));
  });

  it('copies the payload: what the caller does to it afterwards changes nothing', () => {
    const payload = { title: 'Kept', deep: { n: 1 } };
    const checked = checkEmitInput({ ...minimal, payload });
    payload.title = 'Changed';
    payload.deep.n = 2;
    expect(checked.payload).toEqual({ title: 'Kept', deep: { n: 1 } });
  });

  it.each([
    ['no object', null, ''],
    ['no object', [minimal], ''],
    ['a misspelt field', { ...minimal, dedupkey: 'k' }, 'dedupkey'],
    ['no topic', { audience: 'u1' }, 'topic'],
    ['a long topic', { ...minimal, topic: 'x'.repeat(256) }, 'topic'],
    ['no audience', { topic: 't' }, 'audience'],
    ['a payload that is no object', { ...minimal, payload: 'text' }, 'payload'],
    ['a payload that is a list', { ...minimal, payload: [] }, 'payload'],
    ['a title that is no text', { ...minimal, payload: { title: 7 } }, 'payload.title'],
    ['an actionUrl that is no text', { ...minimal, payload: { actionUrl: {} } }, 'payload.actionUrl'],
    ['a severity in the payload that does not exist', { ...minimal, payload: { severity: 'fatal' } }, 'payload.severity'],
    ['U+0000 in the payload', { ...minimal, payload: { a: ['\0'] } }, 'payload.a[0]'],
    ['a severity that does not exist', { ...minimal, severity: 'fatal' }, 'severity'],
    ['an empty dedup key', { ...minimal, dedupKey: '' }, 'dedupKey'],
    ['half a source', { ...minimal, source: { type: 'order' } }, 'source.id'],
    ['a source with more', { ...minimal, source: { type: 'o', id: '1', x: 1 } }, 'source.x'],
    ['a null organization', { ...minimal, organizationId: null }, 'organizationId'],
    ['channels that are no list', { ...minimal, channels: 'inbox' }, 'channels'],
    ['a channel that is no name', { ...minimal, channels: ['inbox', ''] }, 'channels[1]'],
    ['65 channels', { ...minimal, channels: Array.from({ length: 65 }, (_, index) => `c${index}`) }, 'channels'],
    ['a time that is none', { ...minimal, notBefore: new Date() }, 'notBefore'],
  ])('refuses %s', (_title, input, path) => {
    const error = refusal(input);
    expect(error.code).toBe('INVALID_INPUT');
    if (path !== '') expect(error.path).toBe(path);
    expect(refusal(input, 'inputs[3].').message).toMatch(/^inputs\[3\]/);
  });

  it('refuses an emit that would write over 64 MiB, and takes the same audience with a smaller payload (control)', () => {
    const audience = Array.from({ length: 3_000 }, (_, index) => `u${index}`);
    expect(refusal({ topic: 't', audience, payload: { body: 'x'.repeat(250_000) } })).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      path: 'audience',
    });
    expect(checkEmitInput({ topic: 't', audience, payload: { body: 'x'.repeat(20_000) } }).recipients).toHaveLength(3_000);
    expect(
      checkEmitInput({ topic: 't', audience: audience.slice(0, 200), payload: { body: 'x'.repeat(250_000) } }).recipients,
    ).toHaveLength(200);
  });

  it('takes 64 channels', () => {
    const channels = Array.from({ length: 64 }, (_, index) => `c${index}`);
    expect(checkEmitInput({ ...minimal, channels }).channels).toEqual(channels);
  });

  it('refuses a payload over 256 KiB', () => {
    expect(refusal({ ...minimal, payload: { body: 'x'.repeat(256 * 1024) } }).code).toBe('PAYLOAD_TOO_LARGE');
  });
});

import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { checkName, checkPayload, checkText, ERROR_TEXT_MAX_BYTES, PAYLOAD_MAX_BYTES, stripText } from './input-limits.js';

const NUL = '\0';
const LONE_HIGH = '\ud83d';
const LONE_LOW = '\ude00';
const PAIR = '\ud83d\ude00';

function refusal(fn: () => unknown): InputError {
  try {
    fn();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
  throw new Error('not refused');
}

describe('checkName', () => {
  it('takes 1 to 255 characters, counted as code points', () => {
    expect(checkName('a', 'topic')).toBe('a');
    expect(checkName('x'.repeat(255), 'topic')).toHaveLength(255);
    expect(checkName(PAIR.repeat(255), 'topic')).toHaveLength(510);
  });

  it('refuses an empty, a longer and a non-string name, with the path', () => {
    for (const bad of ['', 'x'.repeat(256), PAIR.repeat(256), 7, null, undefined, ['a']]) {
      const error = refusal(() => checkName(bad, 'audience[1]'));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.path).toBe('audience[1]');
      expect(error.message).toMatch(/^audience\[1\]: /);
    }
  });

  it('refuses U+0000 and lone surrogates', () => {
    for (const bad of [`a${NUL}`, `a${LONE_HIGH}`, `${LONE_LOW}b`, `${LONE_LOW}${LONE_HIGH}`]) {
      expect(refusal(() => checkName(bad, 'topic')).code).toBe('INVALID_INPUT');
    }
  });
});

describe('checkText', () => {
  it('takes any length, the empty text and paired surrogates', () => {
    expect(checkText('', 'body')).toBe('');
    expect(checkText(PAIR.repeat(5000), 'body')).toHaveLength(10_000);
  });

  it('refuses U+0000 and lone surrogates', () => {
    expect(refusal(() => checkText(`a${NUL}b`, 'body')).message).toContain('U+0000');
    expect(refusal(() => checkText(`a${LONE_HIGH}b`, 'body')).message).toContain('lone surrogate');
  });
});

describe('checkPayload', () => {
  it('gives the JSON text', () => {
    expect(checkPayload({ title: 'Hi', n: [1, null, PAIR] }, 'payload')).toBe(`{"title":"Hi","n":[1,null,"${PAIR}"]}`);
  });

  it('takes exactly 256 KiB of UTF-8 and refuses one byte more', () => {
    const frame = '{"body":""}'.length;
    expect(Buffer.byteLength(checkPayload({ body: 'x'.repeat(PAYLOAD_MAX_BYTES - frame) }, 'payload'))).toBe(PAYLOAD_MAX_BYTES);
    expect(refusal(() => checkPayload({ body: 'x'.repeat(PAYLOAD_MAX_BYTES - frame + 1) }, 'payload')).code).toBe('PAYLOAD_TOO_LARGE');
    expect(refusal(() => checkPayload({ body: 'é'.repeat(PAYLOAD_MAX_BYTES / 2) }, 'payload')).code).toBe('PAYLOAD_TOO_LARGE');
  });

  it('takes another bound', () => {
    expect(checkPayload('x'.repeat(98), 'metadata', 100)).toHaveLength(100);
    expect(refusal(() => checkPayload('x'.repeat(99), 'metadata', 100)).message).toMatch(/^metadata: over 100 bytes as JSON \(101\)/);
  });

  it('refuses what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const bad of [undefined, () => 1, Symbol('x'), cycle, { n: 1n }]) {
      expect(refusal(() => checkPayload(bad, 'payload')).code).toBe('INVALID_INPUT');
    }
  });

  it('refuses what nests deeper than JSON can be written, and says that it may be that', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(refusal(() => checkPayload(nested(100_000), 'payload'))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('or nested too deep'),
    });
    expect(checkPayload(nested(1_000), 'payload')).toHaveLength(2_000);
  });

  it('refuses U+0000 and lone surrogates anywhere, keys included, and names the place', () => {
    expect(refusal(() => checkPayload({ a: { b: ['x', `y${NUL}`] } }, 'payload')).path).toBe('payload.a.b[1]');
    expect(refusal(() => checkPayload({ a: LONE_HIGH }, 'payload')).path).toBe('payload.a');
    expect(refusal(() => checkPayload({ [`k${LONE_LOW}`]: 1 }, 'payload')).path).toBe('payload.k');
    expect(refusal(() => checkPayload({ a: `\\${NUL}` }, 'payload')).path).toBe('payload.a');
    expect(refusal(() => checkPayload(NUL, 'payload')).path).toBe('payload');
    expect(refusal(() => checkPayload({ a: `${NUL}${NUL}` }, 'payload')).path).toBe('payload.a');
  });

  it('takes texts that only look like the escapes (control)', () => {
    const text = checkPayload({ a: '\\u0000', b: '\\\\ud83d', c: '\\\\\\u0000' }, 'payload');
    expect(JSON.parse(text)).toEqual({ a: '\\u0000', b: '\\\\ud83d', c: '\\\\\\u0000' });
  });
});

describe('stripText', () => {
  it('removes U+0000 and lone surrogates and keeps pairs', () => {
    expect(stripText(`a${NUL}b${LONE_HIGH}c${PAIR}${LONE_LOW}`)).toBe(`abc${PAIR}`);
    expect(stripText('plain')).toBe('plain');
  });

  it('cuts at 8 KiB of UTF-8 without cutting a character', () => {
    expect(stripText('x'.repeat(ERROR_TEXT_MAX_BYTES))).toHaveLength(ERROR_TEXT_MAX_BYTES);
    expect(stripText('x'.repeat(ERROR_TEXT_MAX_BYTES + 1))).toHaveLength(ERROR_TEXT_MAX_BYTES);
    const cut = stripText(`x${PAIR.repeat(ERROR_TEXT_MAX_BYTES)}`);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
    expect(Buffer.byteLength(cut)).toBe(ERROR_TEXT_MAX_BYTES - 3);
  });
});

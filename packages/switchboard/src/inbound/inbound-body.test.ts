import { describe, expect, it } from 'vitest';
import { BODY_MAX_BYTES, checkBodySize, readBody } from './inbound-body.js';

const read = (text: string) => readBody(Buffer.from(text));
const invalid = expect.objectContaining({ code: 'INVALID_INPUT', path: 'body' });

describe('the body of an inbound webhook', () => {
  it('is any JSON, and stored as its text', () => {
    expect(read('{ "a": [1, "é"] }')).toEqual({ value: { a: [1, 'é'] }, text: '{"a":[1,"é"]}' });
    expect(read('null').text).toBe('null');
  });

  it('is refused where it is none, or no UTF-8', () => {
    for (const text of ['', '{', 'payload=%7B%7D', 'NaN']) expect(() => read(text)).toThrow(invalid);
    expect(() => readBody(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(invalid);
  });

  it('is refused where it holds what no store can keep, without a word of what it holds', () => {
    for (const text of ['{"secret-key": "a\\u0000"}', '{"secret-key": "\\ud800"}', '{"secret-key\\u0000": 1}']) {
      expect(() => read(text)).toThrow(invalid);
      expect(() => read(text)).not.toThrow(/secret-key/);
    }
    expect(read('{"a": "\\\\u0000 \\ud83d\\ude00"}').value).toEqual({ a: '\\u0000 \u{1f600}' });
  });

  it('is refused where a number in it is none that a double holds, and taken where a text looks like one (the control)', () => {
    for (const text of ['1e400', '{"a":[-1e400]}', `[${'9'.repeat(310)}]`, `[${'9'.repeat(220)}e99]`])
      expect(() => read(text)).toThrow(invalid);
    for (const text of ['1e+308', '{"a":"1e400"}', `["${'9'.repeat(310)}"]`, `[0.${'9'.repeat(310)}]`]) {
      expect(read(text).value).toEqual(JSON.parse(text));
    }
    expect(() => read(`${'['.repeat(500)}1e400${']'.repeat(500)}`)).toThrow(/double/);
  });

  it('may nest 500 levels, and no more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(nested(500)).text).toBe(nested(500));
    for (const levels of [501, 100_000, BODY_MAX_BYTES / 2]) expect(() => read(nested(levels))).toThrow(invalid);
    expect(() => read('{"a":'.repeat(501))).toThrow(invalid);
    expect(() => read('['.repeat(BODY_MAX_BYTES))).toThrow(invalid);
  });

  it('may hold any number of brackets in a text', () => {
    const text = JSON.stringify({ a: `\\"${'[{'.repeat(1_000)}"` });
    expect(read(text).text).toBe(text);
  });

  it('is at most 5 MiB, as it comes and as it is stored', () => {
    checkBodySize(new Uint8Array(BODY_MAX_BYTES));
    const tooLarge = expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' });
    expect(() => checkBodySize(new Uint8Array(BODY_MAX_BYTES + 1))).toThrow(tooLarge);
    expect(() => read(`[${Array<string>(1_000_000).fill('1e20').join(',')}]`)).toThrow(tooLarge);
  });
});

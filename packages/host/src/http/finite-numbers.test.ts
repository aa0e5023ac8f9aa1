import { describe, expect, it } from 'vitest';
import { refuseInfinite } from './finite-numbers.js';

const infinite = (path: string) => expect.objectContaining({ code: 'INVALID_INPUT', path });

describe('numbers of a JSON text', () => {
  it.each([
    ['1e400', ''],
    ['{"payload":{"a":[0,-1e400]}}', 'payload.a[1]'],
    ['{"a":1E+309}', 'a'],
    ['{"a":1e0400}', 'a'],
    [`{"a":${'9'.repeat(310)}}`, 'a'],
    [`{"a":${'9'.repeat(220)}e99}`, 'a'],
    [`${'['.repeat(100_000)}1e400${']'.repeat(100_000)}`, '[0]'.repeat(85)],
    [`{"${'k'.repeat(1_000)}":1e400}`, 'k'.repeat(80)],
    ['{"a\\u0000b":1e400}', 'ab'],
  ])('are refused beyond the doubles: %#', (text, path) => {
    expect(() => refuseInfinite(text)).toThrow(infinite(path));
  });

  it.each([
    '1e308',
    '-1.7976931348623157e308',
    '1e-400',
    '{"a":"1e400"}',
    `"${'9'.repeat(400)}"`,
    '9007199254740993',
    `0.${'9'.repeat(400)}`,
    '{"1e400":null}',
  ])('are taken within them, and texts that look like one (the control): %#', (text) => {
    expect(() => refuseInfinite(text)).not.toThrow();
  });

  it('of a malformed text are left to whoever parses it', () => {
    expect(() => refuseInfinite('{"a":1e400')).not.toThrow();
  });
});

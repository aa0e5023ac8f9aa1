import { describe, expect, it } from 'vitest';
import { verdictOf, worstOf } from './exit-codes.js';

describe('what an exit code says', () => {
  it.each([
    [0, 'ok'],
    [1, 'red'],
    [3, 'not measured'],
    [2, 'unrun'],
    [7, 'unrun'],
    [124, 'unrun'],
    [137, 'unrun'],
    [143, 'unrun'],
    [null, 'unrun'],
  ] as const)('%s: %s', (code, verdict) => expect(verdictOf(code)).toBe(verdict));

  it('is 1 for any finding or gate without an answer, else 3, else 0', () => {
    expect(worstOf(['ok', 'not measured', 'red'])).toBe(1);
    expect(worstOf(['ok', 'not measured', 'unrun'])).toBe(1);
    expect(worstOf(['ok', 'not measured'])).toBe(3);
    expect(worstOf(['ok', 'ok'])).toBe(0);
  });
});

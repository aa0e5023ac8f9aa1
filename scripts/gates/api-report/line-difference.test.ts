import { describe, expect, it } from 'vitest';
import { differenceOf, parseDifference } from './line-difference.js';

describe('the difference of two texts', () => {
  it('starts at the first line that differs, and shows the lines', () => {
    expect(differenceOf('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n')).toEqual({
      line: 2,
      lines: ['@@ -2 +2 @@ a', '-b', '+B', '@@ -4,0 +5 @@ d', '+e'],
    });
  });

  it('is none for equal texts', () => {
    expect(differenceOf('a\n', 'a\n')).toBeUndefined();
  });

  it('is one for what only the end of the last line or a carriage return tells apart', () => {
    expect(differenceOf('a\n', 'a')).toMatchObject({ line: 1 });
    expect(differenceOf('a\r\n', 'a\n')).toMatchObject({ line: 1 });
  });

  it('at the very beginning is at line 1', () => {
    expect(differenceOf('b\n', 'a\nb\n')).toMatchObject({ line: 1 });
    expect(differenceOf('', 'a\n')).toMatchObject({ line: 1 });
  });

  it('is not guessed from an answer without one', () => {
    expect(() => parseDifference('diff --git a/before b/after\n')).toThrow(/no difference/);
  });
});

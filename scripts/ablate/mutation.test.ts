import { describe, expect, it } from 'vitest';
import { mutate, NoMutation, occurrences } from './mutation.js';

const edit = (text: string, anchor: string, replacement: string, expectCount = 1) =>
  mutate({ file: 'a.ts', anchor, replacement, expectCount }, Buffer.from(text));

describe('a mutation', () => {
  it('replaces every occurrence, and counts them', () => {
    const { mutant, anchors, replacements } = edit('a < b; c < d;', '<', '<=', 2);
    expect(mutant.toString()).toBe('a <= b; c <= d;');
    expect(anchors).toEqual({ before: 2, after: 2 });
    expect(replacements).toEqual({ before: 0, after: 2 });
  });

  it('deletes, leaving everything else', () => {
    expect(edit('one; two; three;', ' two;', '').mutant.toString()).toBe('one; three;');
  });

  it('takes the replacement as it is written', () => {
    expect(edit('f(x)', 'x', "$& $1 $' $$").mutant.toString()).toBe("f($& $1 $' $$)");
  });

  it.each([
    ['is not there', 'abc', 'x', 'y', 1, /occurs 0 times in a\.ts, expected 1/],
    ['is there too often', 'abab', 'ab', 'y', 1, /occurs 2 times in a\.ts, expected 1/],
    ['is there too seldom', 'ab', 'ab', 'y', 2, /occurs 1 times in a\.ts, expected 2/],
    ['is the replacement', 'ab', 'ab', 'ab', 1, /the same text/],
    ['comes into being at the seams', 'aabb', 'ab', '', 1, /After the edit the anchor occurs 1 times/],
  ])('is none when the anchor %s', (_, text, anchor, replacement, count, says) => {
    expect(() => edit(text, anchor, replacement, count)).toThrow(NoMutation);
    expect(() => edit(text, anchor, replacement, count)).toThrow(says);
  });

  it('is none when the replacement joins with what stands around it', () => {
    expect(() => edit('x=>y', '=', 'y==', 1)).not.toThrow();
    expect(() => edit('ab|b', '|', 'b', 1)).not.toThrow();
    expect(() => edit('aa|a', '|', 'aaa', 1)).toThrow(/joined it with what stands around it/);
  });

  it('is none of a file that is no text', () => {
    expect(() => mutate({ file: 'a.bin', anchor: 'a', replacement: 'b', expectCount: 1 }, Buffer.from([0x61, 0xff]))).toThrow(/not UTF-8/);
  });
});

it('occurrences do not overlap, and nothing occurs nowhere', () => {
  expect(occurrences('aaaa', 'aa')).toBe(2);
  expect(occurrences('aaaa', '')).toBe(0);
});

import { describe, expect, it } from 'vitest';
import { rowChunks, rowWeight } from './row-chunks.js';

const sizes = (characters: readonly number[]) => rowChunks(characters, (own) => own).map((chunk) => chunk.length);

describe('rows of one statement', () => {
  it('are at most a thousand', () => {
    expect(sizes([])).toEqual([]);
    expect(sizes(Array(1_000).fill(100))).toEqual([1_000]);
    expect(sizes(Array(2_500).fill(100))).toEqual([1_000, 1_000, 500]);
  });

  it('are fewer when they are long, and one at least', () => {
    expect(rowWeight(256 * 1024)).toBe(32);
    expect(sizes(Array(64).fill(256 * 1024))).toEqual([31, 31, 2]);
    expect(sizes([20_000_000, 20_000_000])).toEqual([1, 1]);
  });
});

import { describe, expect, it } from 'vitest';
import { EntryQueue, longestFirst } from './schedule.js';

it('begins what takes longest first: by the size of its tests, integration tests before others', () => {
  const sizes: Record<string, number> = { 'small.test.ts': 10, 'large.test.ts': 30, 'small.integration.test.ts': 10 };
  const one = (id: string, ...tests: string[]) => ({ entry: { id, tests } });
  const ordered = longestFirst(
    [
      one('small', 'small.test.ts'),
      one('same', 'small.test.ts'),
      one('large', 'large.test.ts'),
      one('both', 'small.test.ts', 'large.test.ts', 'gone.test.ts'),
      one('integration', 'small.integration.test.ts', 'small.test.ts'),
    ],
    (file) => sizes[file] ?? 0,
  );
  expect(ordered.map(({ entry }) => entry.id)).toEqual(['integration', 'both', 'large', 'same', 'small']);
});

describe('which copy an entry is begun on', () => {
  const entry = (id: string, ...tests: string[]) => ({ id, tests });

  it('gives a copy what is over the test files it has run, before anything else', () => {
    const queue = new EntryQueue([entry('a1', 'a'), entry('b1', 'b'), entry('b2', 'b'), entry('a2', 'a'), entry('c1', 'c')]);
    const taken = [0, 1, 0, 1, 0].map((copy) => queue.next(copy)?.id);
    expect(taken).toEqual(['a1', 'b1', 'a2', 'b2', 'c1']);
  });

  it('prefers tests that no copy has run to those of another copy', () => {
    const queue = new EntryQueue([entry('a1', 'a'), entry('a2', 'a'), entry('ab', 'a', 'b'), entry('c1', 'c')]);
    expect([queue.next(0)?.id, queue.next(1)?.id]).toEqual(['a1', 'c1']);
  });

  it('leaves no copy idle while an entry waits, and hands out each once', () => {
    const queue = new EntryQueue([entry('a1', 'a'), entry('a2', 'a'), entry('ab', 'a', 'b')]);
    expect([0, 1, 1, 1].map((copy) => queue.next(copy)?.id)).toEqual(['a1', 'a2', 'ab', undefined]);
  });

  it('gives up what has not been begun', () => {
    const queue = new EntryQueue([entry('a1', 'a'), entry('a2', 'a')]);
    queue.next(0);
    expect(queue.giveUp().map(({ id }) => id)).toEqual(['a2']);
    expect(queue.next(0)).toBeUndefined();
  });
});

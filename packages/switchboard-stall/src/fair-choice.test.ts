import { expect, it } from 'vitest';
import { chooseFairly, type DuePair } from './fair-choice.js';

const pair = (endpointId: string, queue: string, dueSince: number): DuePair => ({ endpointId, queue, dueSince });
const names = (pairs: readonly DuePair[]) => pairs.map(({ endpointId, queue }) => `${endpointId}${queue}`);

it('takes every endpoint once before any twice, within a round who has been due longest first', () => {
  const due = [pair('b', '1', 5), pair('a', '3', 3), pair('a', '1', 1), pair('a', '2', 2), pair('c', '1', 4)];
  expect(names(chooseFairly(due))).toEqual(['a1', 'c1', 'b1', 'a2', 'a3']);
  expect(names(chooseFairly(due, 3))).toEqual(['a1', 'c1', 'b1']);
  expect(names(chooseFairly(due, 4))).toEqual(['a1', 'c1', 'b1', 'a2']);
});

it('gives all places to one endpoint that is alone, and tells pairs that came due at once apart by name', () => {
  const due = ['d', 'b', 'a', 'c'].map((queue) => pair('a', queue, 1));
  expect(names(chooseFairly(due, 3))).toEqual(['aa', 'ab', 'ac']);
  expect(chooseFairly([])).toEqual([]);
});

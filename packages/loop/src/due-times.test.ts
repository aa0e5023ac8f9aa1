import { describe, expect, test } from 'vitest';
import { DueTimes } from './due-times.js';

function drained(times: DueTimes): number[] {
  const all: number[] = [];
  for (; times.first !== Number.POSITIVE_INFINITY; times.dropUpTo(times.first)) all.push(times.first);
  return all;
}

describe('DueTimes', () => {
  test('[L7] keeps every time once, earliest first', () => {
    const times = new DueTimes();
    for (const at of [5, 1, 9, 5, 3]) times.add(at);
    for (let again = 0; again < 1_000; again += 1) times.add(3); // takes the place of no other
    times.dropUpTo(1);
    const more = new DueTimes();
    for (const at of [4, 9]) more.add(at);
    times.takeFrom(more);
    expect(drained(times)).toEqual([3, 4, 5, 9]);
    expect(drained(more)).toEqual([]);
  });

  test('[L7] is bounded, and drops the latest', () => {
    const times = new DueTimes();
    for (let at = 2_000; at > 0; at -= 1) times.add(at);
    times.add(5_000);
    expect(drained(times)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  });
});

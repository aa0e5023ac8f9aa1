import { describe, expect, it } from 'vitest';
import { alternate, ROUNDS } from './alternate.js';
import { Starts } from './starts.js';
import { median, percentile, rounded } from './statistics.js';
import { tallyRuns } from './tally-runs.js';

describe('statistics', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])('the median of %o is %d', (values, expected) => expect(median(values)).toBe(expected));

  it('a percentile is by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([1, 50, 99, 100].map((percent) => percentile(values, percent))).toEqual([2, 100, 198, 200]);
    expect(percentile([5], 99)).toBe(5);
  });

  it('nothing has none', () => {
    expect(median([])).toBeNaN();
    expect(percentile([], 50)).toBeNaN();
  });

  it('figures are given to three digits, whole ones whole', () => {
    expect([0.012345, 1.2345, 99.94, 123456.7].map(rounded)).toEqual([0.0123, 1.23, 99.9, 123457]);
  });
});

it('sides are measured in turn, round by round', async () => {
  const order: string[] = [];
  const figures = await alternate(['a', 'b'], async (side, round) => {
    order.push(side);
    return `${side}${round}`;
  });
  expect(order).toEqual(Array(ROUNDS).fill(['a', 'b']).flat());
  expect(figures).toEqual(
    new Map([
      ['a', ['a0', 'a1', 'a2']],
      ['b', ['b0', 'b1', 'b2']],
    ]),
  );
});

describe('starts', () => {
  it('are known before and after they are asked for, the first of a job alone', async () => {
    const starts = new Starts();
    starts.note(1, 10);
    starts.note(1, 20);
    expect(await starts.of(1, 60_000)).toBe(10);
    const asked = starts.of(2, 60_000);
    starts.note(2, 30);
    expect(await asked).toBe(30);
  });

  it('that never come are an error', async () => {
    await expect(new Starts().of(7, 0)).rejects.toThrow('job 7 did not begin within 0 ms');
  });
});

it('runs are told apart from jobs: one that never ran is lost, one that ran twice a duplicate, in whichever process', () => {
  const reports = [
    { ran: [0, 1, 1], lastAt: 20 },
    { ran: [2, 0], lastAt: 30 },
  ];
  expect(tallyRuns(reports, 5)).toEqual({ ran: 3, lost: 2, duplicates: 2, lastAt: 30 });
  expect(tallyRuns([{ ran: [0, 1], lastAt: 1 }], 2)).toMatchObject({ lost: 0, duplicates: 0 });
});

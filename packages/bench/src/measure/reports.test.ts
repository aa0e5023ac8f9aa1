import { expect, it } from 'vitest';
import type { ContenderKind } from '../contenders/contender.js';
import { rateReport } from './rate-report.js';
import { waitReport } from './wait-report.js';

const kind = (product: string, setting: string): ContenderKind => ({
  product,
  setting,
  stores: ['sqlite'],
  shown: { setting },
  affects: [],
  pollMs: 0,
  open: () => Promise.reject(new Error('not opened here')),
});
const plain = kind('bellhop', 'defaults');
const batches = kind('bellhop', 'batches');
const slow = kind('slow', 'defaults');
const quick = kind('quick', 'defaults');
const sides = { ours: [plain, batches], peers: [slow, quick] };

it('a rate is the median of its rounds, and its ratio is to the fastest peer', () => {
  const durability = { synchronous: 'NORMAL' };
  const figures = (...rates: number[]) => rates.map((perSecond) => ({ perSecond, durability }));
  const report = rateReport(
    sides,
    new Map([
      [plain, figures(100, 200, 900)],
      [batches, figures(400, 500, 600)],
      [slow, figures(10, 20, 30)],
      [quick, figures(250, 250, 9_000)],
    ]),
  );
  expect(report).toMatchObject({ perSecond: 500, ratio: 2, peer: 'quick, defaults' });
  expect(report.sides.map(({ perSecond, ratio }) => [perSecond, ratio])).toEqual([
    [200, undefined],
    [500, undefined],
    [20, 25],
    [250, 2],
  ]);
  expect(report.sides[3]).toMatchObject({
    rounds: [250, 250, 9_000],
    durability,
    settings: { setting: 'defaults' },
    version: 'not installed',
  });
  expect(rateReport({ ours: [plain], peers: [] }, new Map([[plain, figures(1, 2, 3)]]))).not.toHaveProperty('ratio');
});

it('waits are those of all rounds together, beside the peer with the shortest', () => {
  const report = waitReport(
    sides,
    new Map([
      [plain, [[1], [2, 3]]],
      [batches, [[5, 6, 7]]],
      [slow, [[1_000]]],
      [quick, [[20], [40, 30]]],
    ]),
  );
  expect(report).toMatchObject({ samples: 3, p50Ms: 2, p99Ms: 3, peer: 'quick, defaults', p50Ratio: 0.0667, p99Ratio: 0.075 });
  expect(report.sides.map(({ p50Ms, p99Ms }) => [p50Ms, p99Ms])).toEqual([
    [2, 3],
    [6, 7],
    [1_000, 1_000],
    [30, 40],
  ]);
});

import type { JobBackoff } from '@bellhop/contracts';
import { seededRandom } from '@bellhop/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayMs } from './retry-delay.js';

const never = (): number => {
  throw new Error('drawn');
};
const backoff = fc.record<JobBackoff>({
  type: fc.constantFrom('exponential', 'fixed'),
  delayMs: fc.integer({ min: 0, max: 31_536_000_000 }),
  maxDelayMs: fc.integer({ min: 0, max: 31_536_000_000 }),
  jitter: fc.constantFrom('full', 'none'),
});
const attempts = fc.integer({ min: 1, max: 1_000 });
const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retryDelayMs', () => {
  it('doubles with each attempt up to the cap, and draws nothing without jitter', () => {
    const waits = [1, 2, 3, 4, 5, 6, 1_000].map((attempt) =>
      retryDelayMs({ type: 'exponential', delayMs: 1_000, maxDelayMs: 10_000, jitter: 'none' }, attempt, never),
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  });

  it('is the same each time when fixed, and capped too', () => {
    const fixed = { type: 'fixed', delayMs: 1_000, maxDelayMs: 10_000, jitter: 'none' } as const;
    expect([1, 2, 50].map((attempt) => retryDelayMs(fixed, attempt, never))).toEqual([1_000, 1_000, 1_000]);
    expect(retryDelayMs({ ...fixed, maxDelayMs: 300 }, 1, never)).toBe(300);
  });

  it.each([
    [0, 0],
    [0.5, 4_000],
    [1 - Number.EPSILON, 8_000],
  ])('with full jitter and a draw of %d, of a wait of 8 s, is %d ms', (drawn, waits) => {
    expect(retryDelayMs({ type: 'exponential', delayMs: 1_000, maxDelayMs: 60_000, jitter: 'full' }, 4, () => drawn)).toBe(waits);
  });

  it('is a whole number from 0 to the cap, whatever the backoff, the attempt and the draw', () => {
    fc.assert(
      fc.property(backoff, attempts, draw, (options, attempt, drawn) => {
        const wait = retryDelayMs(options, attempt, () => drawn);
        expect(Number.isSafeInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(options.maxDelayMs);
      }),
    );
  });

  it('never shrinks from one attempt to the next for one draw', () => {
    fc.assert(
      fc.property(backoff, attempts, draw, (options, attempt, drawn) => {
        const random = () => drawn;
        expect(retryDelayMs(options, attempt + 1, random)).toBeGreaterThanOrEqual(retryDelayMs(options, attempt, random));
      }),
    );
  });

  it('spreads full jitter evenly over the whole wait', () => {
    const random = seededRandom(7);
    const tenths = new Array<number>(10).fill(0);
    for (let at = 0; at < 10_000; at += 1) {
      const wait = retryDelayMs({ type: 'fixed', delayMs: 999, maxDelayMs: 60_000, jitter: 'full' }, 1, random);
      tenths[Math.floor(wait / 100)]! += 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

import { describe, expect, test } from 'vitest';
import { settleFailure } from './retry-ladder.js';

const at = (draw: number) => ({ now: 1_000_000, draw });
const failed = (attempts: number) => ({ errorClass: 'retryable', error: 'no', attempts }) as const;

describe('retry ladder', () => {
  test('waits 1 s, 10 s, 1 min, 10 min, 1 h, and is dead with the sixth failure', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempts) => {
      const result = settleFailure(failed(attempts), at(0.5));
      return result.success ? 'success' : (result.nextAttemptAt ?? 0) - 1_000_000;
    });
    expect(waits.slice(0, 5)).toEqual([1_000, 10_000, 60_000, 600_000, 3_600_000]);
    expect(settleFailure(failed(6), at(0.5))).toEqual({ success: false, error: 'no', dead: true });
    expect(settleFailure(failed(7), at(0.5))).toEqual({ success: false, error: 'no', dead: true });
  });

  test('spreads each wait over 0.8 to 1.2 of it, in whole milliseconds', () => {
    expect(settleFailure(failed(2), at(0))).toMatchObject({ nextAttemptAt: 1_008_000 });
    expect(settleFailure(failed(2), at(0.9999))).toMatchObject({ nextAttemptAt: 1_011_999 });
    expect(settleFailure(failed(1), at(1 / 3))).toMatchObject({ nextAttemptAt: 1_000_933 });
  });

  test('permanent is dead, invalid_recipient suppressed, duplicate a success, whatever the attempt', () => {
    expect(settleFailure({ ...failed(1), errorClass: 'permanent' }, at(0))).toEqual({ success: false, error: 'no', dead: true });
    expect(settleFailure({ ...failed(1), errorClass: 'invalid_recipient' }, at(0))).toEqual({
      success: false,
      error: 'no',
      suppressed: true,
    });
    expect(settleFailure({ ...failed(6), errorClass: 'duplicate' }, at(0))).toEqual({ success: true });
  });

  test.each([
    [undefined, 60_000],
    [Number.NaN, 60_000],
    [90_000, 90_000],
    [0, 1_000],
    [-5, 1_000],
    [1e12, 86_400_000],
    [1_500.2, 1_501],
  ])('rate_limited asking for %s ms waits %i ms, uncounted, at the last attempt too', (retryAfterMs, waits) => {
    expect(settleFailure({ ...failed(6), errorClass: 'rate_limited', retryAfterMs }, at(0))).toEqual({
      success: false,
      error: 'no',
      nextAttemptAt: 1_000_000 + waits,
      uncounted: true,
    });
  });
});

import { expect, it } from 'vitest';
import { retryWaitMs } from './retry-waits.js';

it.each([
  [1, 0, 800],
  [1, 0.5, 1_000],
  [1, 0.999_999, 1_200],
  [2, 0, 4_000],
  [2, 0.5, 5_000],
  [2, 0.999_999, 6_000],
])('after attempt %i with a draw of %d: %i ms', (attempts, draw, waitMs) => {
  expect(retryWaitMs(attempts, () => draw)).toBe(waitMs);
});

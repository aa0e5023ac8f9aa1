import fc from 'fast-check';
import { test } from 'vitest';
import { keepsItsWord } from './dispatch-loop-model.fixture.js';

// Always the same runs: what falls when a rule is taken out must not depend on a draw. Others are in dispatch-loop.fuzz.test.ts.
test('[L5] [L6] [L7] [L8] never two ticks at once, and no wake or due time is forgotten, whatever happens in what order', () =>
  fc.assert(keepsItsWord, { seed: 4_711, numRuns: 1_000 }));

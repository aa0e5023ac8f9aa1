import fc from 'fast-check';
import { test } from 'vitest';
import { keepsItsWord } from './dispatch-loop-model.fixture.js';

// Without a tag, in a file of its own: no ablation may depend on what is drawn here.
test('the loop keeps its word in runs drawn afresh each time; a failure prints the seed that repeats it', () =>
  fc.assert(keepsItsWord, { numRuns: 3_000 }));

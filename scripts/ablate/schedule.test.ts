import { expect, it } from 'vitest';
import { longestFirst } from './schedule.js';

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

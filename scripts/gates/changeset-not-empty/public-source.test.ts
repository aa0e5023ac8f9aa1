import { expect, it } from 'vitest';
import { isPublicSource } from './public-source.js';

const of = (files: unknown) => ({ name: 'a', folder: 'packages/a', version: '1.0.0', isPrivate: false, manifest: { files } });

it.each([
  ['packages/a/src/a.ts', true],
  ['packages/a/src/testing/a.ts', true],
  ['packages/a/src/latest.ts', true],
  ['packages/a/bin/a.js', true],
  ['packages/a/assets/a/b.txt', true],
  ['packages/a/LICENSE.txt', true],
  ['packages/a/src/a.test.ts', false],
  ['packages/a/src/a.integration.test.ts', false],
  ['packages/a/src/a.fixture.ts', false],
  ['packages/a/src/__snapshots__/a.test.ts.snap', false],
  ['packages/a/dist/a.js', false],
  ['packages/a/binary/a.js', false],
  ['packages/a/README.md', false],
  ['packages/a/package.json', false],
  ['packages/ab/src/a.ts', false],
  ['src/a.ts', false],
])('%s reaches users: %s', (path, expected) => {
  expect(isPublicSource(of(['./bin', 'dist', 'assets/**/*', 'LICENSE.txt']), path)).toBe(expected);
  if (path.startsWith('packages/a/src/')) expect(isPublicSource(of(undefined), path)).toBe(expected);
});

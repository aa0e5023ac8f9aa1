import { describe, expect, it } from 'vitest';
import { isCounted, readSources } from './sources.js';

describe('the counted files', () => {
  it.each([
    ['packages/host/src/host.ts', true],
    ['packages/host/src/keys/key-store.mts', true],
    ['packages/host/src/view.tsx', true],
    ['packages/host/src/old.js', true],
    ['packages/host/src/testing/kit.ts', true],
    ['packages/host/src/host.test.ts', false],
    ['packages/host/src/host.integration.test.ts', false],
    ['packages/host/src/host.fixture.ts', false],
    ['packages/host/src/globals.d.ts', false],
    ['packages/host/src/notes.md', false],
    ['packages/host/bin/bellhop.js', false],
    ['packages/host/dist/host.js', false],
    ['packages/testing/src/index.ts', false],
    ['packages/bench/src/index.ts', false],
    ['scripts/gates/cli.ts', false],
  ])('%s: %s', (path, counted) => expect(isCounted(path)).toBe(counted));
});

it('what cannot be parsed is found at its line, and the rest is read', () => {
  const texts: Record<string, string> = {
    'packages/a/src/bad.ts': 'export const a = 1;\nexport const = 2;\n',
    'packages/a/src/good.ts': 'export {};\n',
  };
  const { files, unparsable } = readSources({ files: () => Object.keys(texts), read: (path) => texts[path] });
  expect(files.map(({ path }) => path)).toEqual(['packages/a/src/good.ts']);
  expect(unparsable).toMatchObject([{ file: 'packages/a/src/bad.ts', line: 2, what: expect.stringContaining('cannot be parsed') }]);
});

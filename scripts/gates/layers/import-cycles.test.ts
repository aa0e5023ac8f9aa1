import { describe, expect, it } from 'vitest';
import { judgeCycles } from './import-cycles.js';
import { readWorkspace } from './workspace.js';

/** Sources of one package, by file name. */
function judge(sources: Record<string, string>) {
  const texts: Record<string, string> = { 'package.json': '{}', 'packages/a/package.json': '{ "name": "@bellhop/a" }' };
  for (const [name, text] of Object.entries(sources)) texts[`packages/a/src/${name}`] = text;
  return judgeCycles(readWorkspace(Object.keys(texts), (path) => texts[path]!));
}
const circles = (sources: Record<string, string>) =>
  judge(sources).map(({ what }) => what.replaceAll('packages/a/src/', '').replace(/^.*: /, ''));

describe('circles of files', () => {
  it('are told once, at the import that starts the shortest', () => {
    const found = judge({
      'a.ts': `import './free.js';\nexport * from './b.js';`,
      'b.ts': `import './c.js';\nimport './a.js';`,
      'c.ts': `import './a.js';`,
      'free.ts': 'export {};',
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ file: 'packages/a/src/a.ts', line: 2 });
    expect(found[0]!.what).toContain('a/src/a.ts → packages/a/src/b.ts → packages/a/src/a.ts');
  });

  it('are told apart where they share no file', () => {
    expect(
      circles({
        'a.ts': `import './b.js';`,
        'b.ts': `import './a.js';`,
        'c.ts': `import './d.js';\nimport './a.js';`,
        'd.ts': `import './c.js';`,
      }),
    ).toEqual(['a.ts → b.ts → a.ts', 'c.ts → d.ts → c.ts']);
  });

  it('of one file with itself are circles, too', () => {
    expect(circles({ 'a.ts': `import './a.js';` })).toEqual(['a.ts → a.ts']);
  });

  it('are none where one side is a type, a later load or a test', () => {
    // The control: the same with an import that loads.
    expect(circles({ 'a.ts': `import './b.js';`, 'b.ts': `import './a.js';` })).toHaveLength(1);
    expect(circles({ 'a.ts': `import './b.js';`, 'b.ts': `import type { A } from './a.js';` })).toEqual([]);
    expect(circles({ 'a.ts': `import './b.js';`, 'b.ts': `const a = () => import('./a.js');` })).toEqual([]);
    expect(circles({ 'a.fixture.ts': `import './b.test.js';`, 'b.test.ts': `import './a.fixture.js';` })).toEqual([]);
  });

  it('are none where two files share a third', () => {
    expect(circles({ 'a.ts': `import './b.js';\nimport './c.js';`, 'b.ts': `import './c.js';`, 'c.ts': 'export {};' })).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { ExceptedImport } from './excepted-imports.js';
import { judgeImports, judgePackages } from './judge-imports.js';
import { LAYERING } from './layering.js';
import { readWorkspace } from './workspace.js';

const EXCEPTIONS = 'scripts/gates/layers/excepted-imports.ts';
const MANIFESTS = {
  'package.json': '{ "devDependencies": { "vitest": "*", "@types/estree": "*", "@bellhop/kernel": "*" } }',
  'packages/kernel/package.json': '{ "name": "@bellhop/kernel", "exports": { ".": "x", "./clock": "x" } }',
  'packages/store/package.json': `{ "name": "@bellhop/store",
    "dependencies": { "@bellhop/kernel": "*", "knex": "*", "@types/scoped__types": "*" }, "peerDependencies": { "pg": "*" },
    "devDependencies": { "fast-check": "*" } }`,
};

function workspace(files: Record<string, string>) {
  const texts: Record<string, string> = { ...MANIFESTS, 'packages/kernel/src/index.ts': '', ...files };
  return readWorkspace(Object.keys(texts), (path) => texts[path]!);
}
const judge = (files: Record<string, string>, excepted: ExceptedImport[] = []) => judgeImports(workspace(files), LAYERING, excepted);
const product = (text: string) => judge({ 'packages/store/src/a.ts': text }).map(({ what }) => what);
const inTest = (text: string) => judge({ 'packages/store/src/a.test.ts': text }).map(({ what }) => what);
const script = (text: string) => judge({ 'scripts/a.ts': text, 'scripts/b.ts': '' }).map(({ what }) => what);

describe('an import', () => {
  it.each([
    `import 'node:fs';`,
    `import 'fs';`,
    `import 'knex';`,
    `import 'knex/lib/dialects/postgres/index.js';`,
    `import 'pg';`,
    `import type { A } from '@scoped/types';`,
    `import '@bellhop/kernel';`,
    `import '@bellhop/kernel/clock';`,
  ])('of product source may be %s', (text) => {
    expect(product(text)).toEqual([]);
  });

  it.each([
    [`import '@scoped/types';`, /"@scoped\/types", which packages\/store\/package\.json does not declare as a dependency$/],
    [`import 'fast-check';`, /where it is for development/],
    [`import 'vitest';`, /does not declare/],
    [`import type { A } from 'zod';`, /does not declare/],
    [`import '#own';`, /does not declare/],
    [`import '@bellhop/nowhere';`, /does not declare/],
    [`import '@bellhop/kernel/src/index.js';`, /inside of @bellhop\/kernel/],
    [`import '../../kernel/src/index.js';`, /leaves the package, for packages\/kernel\/src\/index\.js/],
    [`import '../../../scripts/a.js';`, /leaves the package/],
    [`import '../../storefront/a.js';`, /leaves the package, for packages\/storefront\/a\.js/],
    [`import './a.test.js';`, /names no file/],
    [`import '/a.js';`, /a place on one machine/],
    [`import 'file:///a.js';`, /a place on one machine/],
    [`import 'https://a.example/a.js';`, /a place on one machine/],
    [`import('./' + name);`, /nobody can tell/],
  ])('of product source may not be %s', (text, what) => {
    expect(product(text)).toEqual([expect.stringMatching(what)]);
  });

  it('of a test may be what the package or the workspace has for development', () => {
    expect(inTest(`import 'fast-check';\nimport 'vitest';\nimport 'knex';\nimport type { A } from 'estree';`)).toEqual([]);
    expect(inTest(`import 'estree';`)).toHaveLength(1);
  });

  it('of a script may be a face and what the root declares', () => {
    expect(script(`import '@bellhop/kernel';\nimport 'vitest';\nimport './b.js';`)).toEqual([]);
    expect(script(`import 'knex';`)).toEqual([expect.stringContaining('which package.json does not declare')]);
    expect(script(`import '@bellhop/store';`)).toHaveLength(1);
    expect(script(`import '@bellhop/kernel/src/index.js';`)).toEqual([expect.stringContaining('inside')]);
    expect(script(`import '../packages/kernel/src/index.js';`)).toEqual([expect.stringContaining('reaches into a package')]);
    expect(script(`import './c.js';`)).toEqual([expect.stringContaining('names no file')]);
  });

  it('of a script may be the inside of a package only in the folders that are listed for it', () => {
    const measuring = { 'scripts/gates/statement-plans/a.ts': `import '../../../packages/kernel/src/index.js';` };
    expect(judge(measuring)).toEqual([]);
    const beside = { 'scripts/gates/statement-plans-not/a.ts': `import '../../../packages/kernel/src/index.js';` };
    expect(judge(beside)).toHaveLength(1);
  });

  it('finds the source behind the name of its output, and a file that is its own', () => {
    const files = {
      'packages/store/src/b.ts': '',
      'packages/store/src/c.mts': '',
      'packages/store/src/d.tsx': '',
      'packages/store/e.json': '{}',
    };
    const text = `import './b.js';\nimport './c.mjs';\nimport './d.js';\nimport '../e.json';`;
    expect(judge({ 'packages/store/src/a.ts': text, ...files })).toEqual([]);
  });

  it('of product source is no fixture, of a fixture may be one', () => {
    const files = { 'packages/store/src/b.fixture.ts': '' };
    expect(judge({ 'packages/store/src/a.ts': `import './b.fixture.js';`, ...files })).toHaveLength(1);
    expect(judge({ 'packages/store/src/a.fixture.ts': `import './b.fixture.js';`, ...files })).toEqual([]);
  });

  it('is told with file and line', () => {
    expect(judge({ 'packages/store/src/a.ts': `import 'knex';\nimport 'zod';` })).toMatchObject([
      { file: 'packages/store/src/a.ts', line: 2 },
    ]);
  });
});

describe('an exception', () => {
  const exception = { file: 'packages/store/src/a.ts', written: 'name', why: 'it must' };

  it('lets a computed or undeclared import stay, in its file alone', () => {
    expect(judge({ 'packages/store/src/a.ts': 'import(name);' }, [exception])).toEqual([]);
    expect(judge({ 'packages/store/src/a.ts': `import('tsx');` }, [{ ...exception, written: `'tsx'` }])).toEqual([]);
    expect(judge({ 'packages/store/src/b.ts': 'import(name);' }, [exception])).toHaveLength(1);
    expect(judge({ 'packages/store/src/a.ts': 'import(other);' }, [exception])).toHaveLength(1);
  });

  it('lets nothing else stay', () => {
    const up = { file: 'packages/kernel/src/a.ts', written: `'@bellhop/store'`, why: 'it must' };
    expect(judge({ 'packages/kernel/src/a.ts': `import '@bellhop/store';` }, [up])).toEqual([
      expect.objectContaining({ what: expect.stringContaining('goes up') }),
    ]);
  });

  it('that nothing needs is a finding of the repository that holds the list', () => {
    expect(judge({ 'packages/store/src/a.ts': '', [EXCEPTIONS]: '' }, [exception])).toMatchObject([
      { file: EXCEPTIONS, what: expect.stringContaining('where nothing needs it') },
    ]);
    expect(judge({ [EXCEPTIONS]: '' }, [exception])).toMatchObject([{ what: expect.stringContaining('where no file is') }]);
    expect(judge({ 'packages/store/src/a.ts': 'import(name);', [EXCEPTIONS]: '' }, [exception])).toEqual([]);
  });
});

describe('a package', () => {
  const judgeThem = (files: Record<string, string>) => judgePackages(workspace(files), LAYERING);

  it('is in the table', () => {
    expect(judgeThem({})).toEqual([]);
    expect(judgeThem({ 'packages/pager/package.json': '{ "name": "@bellhop/pager" }' })).toMatchObject([
      { file: 'packages/pager/package.json', mend: expect.stringContaining('layer-table.ts') },
    ]);
  });

  it('depends on nothing above it, unless for development', () => {
    const host = { 'packages/host/package.json': '{ "name": "@bellhop/host" }' };
    const depending = (field: string) => ({
      ...host,
      'packages/kernel/package.json': `{\n  "name": "@bellhop/kernel",\n  "${field}": {\n    "@bellhop/host": "*"\n  }\n}`,
    });
    expect(judgeThem(depending('dependencies'))).toMatchObject([{ file: 'packages/kernel/package.json', line: 4 }]);
    expect(judgeThem(depending('peerDependencies'))).toHaveLength(1);
    expect(judgeThem(depending('devDependencies'))).toEqual([]);
  });

  it('has a manifest', () => {
    expect(judgeThem({ 'packages/pager/src/a.ts': '' })).toMatchObject([{ file: 'packages/pager' }]);
    expect(() => judgeThem({ 'packages/pager/package.json': '{' })).toThrow(/^packages\/pager\/package\.json cannot be read/);
    expect(() => judgeThem({ 'packages/pager/package.json': '{}' })).toThrow(/has no name/);
  });
});

it('a tree without packages is not judged', () => {
  expect(() => readWorkspace(['package.json', 'scripts/a.ts'], () => '{}')).toThrow(/layout changed/);
});

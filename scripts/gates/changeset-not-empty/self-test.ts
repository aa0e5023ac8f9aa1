// Both directions: changesets that say nothing and changes that nobody announced, beside what is announced, released, or reaches no user.
import { changeset, manifestText, packageFiles } from '../changesets/self-test-files.js';
import { type Files, type RepositoryCase, repositoryCase } from '../framework/temporary-repository.js';

type Options = Omit<RepositoryCase, 'name' | 'expect' | 'base'> & { base?: Files };

const packages = { ...packageFiles('store'), ...packageFiles('loop'), ...packageFiles('bench', { private: true }) };
const red = (name: string, says: RegExp, options: Options) =>
  repositoryCase({ name, expect: 1, says, ...options, base: { ...packages, ...options.base } });
const green = (name: string, options: Options) => repositoryCase({ name, expect: 0, ...options, base: { ...packages, ...options.base } });

const empty = (text: string) => ({ change: { '.changeset/a.md': text }, shape: ['A\t.changeset/a.md'] });
const source = (files: Files, ...shape: string[]) => ({ change: files, shape });
const storeChanges = { 'packages/store/src/index.ts': "export const store = 'second';\n" };
const storeChanged = source(storeChanges, 'M\tpackages/store/src/index.ts');
const manifestChanged = (manifest: Readonly<Record<string, unknown>>) =>
  source({ 'packages/store/package.json': manifestText('store', manifest) }, 'M\tpackages/store/package.json');
const unannounced = /packages\/store\/src\/index\.ts: the public source of @bellhop\/store changes .*and no pending changeset names it\n/;
const announcement = changeset({ store: 'minor' });
const release = { 'packages/store/package.json': manifestText('store', { version: '1.5.0' }) };
const catalog = (knex: string) => `packages:\n  - packages/*\n\ncatalog:\n  knex: ${knex} # the builder\n`;
const asksCatalog = { 'packages/store/package.json': manifestText('store', { dependencies: { knex: 'catalog:' } }) };

export const selfTest = [
  red('a changeset without a byte', /\.changeset\/a\.md:1: cannot be read as a changeset: file is empty/, empty('')),
  red('a changeset is emptied', /a\.md:1: cannot be read/, {
    base: { '.changeset/a.md': announcement },
    change: { '.changeset/a.md': '\n' },
    shape: ['M\t.changeset/a.md'],
  }),
  red('a changeset moves and loses its packages', /b\.md:1: names no package/, {
    base: { '.changeset/a.md': changeset({ loop: 'patch' }, 'A text that stays, and is long enough to be taken for the same file.') },
    change: {
      '.changeset/a.md': null,
      '.changeset/b.md': changeset({}, 'A text that stays, and is long enough to be taken for the same file.'),
    },
    shape: ['R\t.changeset/a.md → .changeset/b.md'],
  }),
  red('a changeset without a package, as --empty makes it', /a\.md:1: names no package/, empty('---\n---\n\nNothing to release.\n')),
  red('a changeset without a word', /a\.md:3: says nothing about the change/, empty("---\n'@bellhop/store': minor\n---\n")),
  red('a changeset of nothing but a comment', /a\.md:5: says nothing/, empty(changeset({ store: 'minor' }, '<!-- break: unpublished -->'))),
  red('a changeset for a package that is not there', /a\.md:3: names @bellhop\/stor, which is no package here/, {
    ...empty(changeset({ loop: 'patch', stor: 'minor' })),
  }),
  red('a changeset without front matter', /a\.md:1: cannot be read as a changeset: missing or invalid frontmatter/, empty('A fix.\n')),
  red(
    'a changeset with broken front matter',
    /a\.md:1: cannot be read as a changeset: /,
    empty("---\n'@bellhop/store: minor\n---\n\nA.\n"),
  ),
  red('a package goes that a pending changeset names', /a\.md:2: waits for its release and names @bellhop\/store/, {
    base: { '.changeset/a.md': announcement },
    change: { 'packages/store/package.json': null, 'packages/store/src/index.ts': null },
    shape: ['D\tpackages/store/package.json'],
  }),

  red('a source changes and nothing says so', unannounced, storeChanged),
  red('the mend says what to do', /npx pnpm changeset: name @bellhop\/store/, storeChanged),
  red('a source changes, merged into a base that moved on', unannounced, { ...storeChanged, as: 'merged' }),
  red('a source changes and is not committed', unannounced, { ...storeChanged, as: 'uncommitted' }),
  red('a source changes beside a changeset for another package', unannounced, {
    change: { ...storeChanges, '.changeset/a.md': changeset({ loop: 'minor' }) },
    shape: ['M\tpackages/store/src/index.ts', 'A\t.changeset/a.md'],
  }),
  red('a source changes and the README of the changesets names the package', unannounced, {
    change: { ...storeChanges, '.changeset/README.md': announcement },
    shape: ['A\t.changeset/README.md'],
  }),
  red('a source changes and the pending changeset cannot be read', /names it \(\.changeset\/a\.md cannot be read\)/, {
    ...storeChanged,
    base: { '.changeset/a.md': 'store: minor\n' },
  }),
  red('a source changes after a pre-release took its changeset', unannounced, {
    ...storeChanged,
    base: { '.changeset/a.md': announcement, '.changeset/pre.json': '{ "mode": "pre", "changesets": ["a"] }' },
  }),
  red('a source goes', /store changes \(packages\/store\/src\/gone\.ts\)/, {
    base: { 'packages/store/src/gone.ts': 'export const gone = 1;\n' },
    change: { 'packages/store/src/gone.ts': null },
    shape: ['D\tpackages/store/src/gone.ts'],
  }),
  red('a source moves to another package: both change', /@bellhop\/loop changes[\s\S]*@bellhop\/store changes/, {
    base: { 'packages/store/src/moved.ts': 'export const moved = "a line that is long enough to be found again";\n' },
    change: {
      'packages/store/src/moved.ts': null,
      'packages/loop/src/moved.ts': 'export const moved = "a line that is long enough to be found again";\n',
    },
    shape: ['R\tpackages/store/src/moved.ts → packages/loop/src/moved.ts'],
  }),
  red('what is packed beside dist changes', /packages\/store\/bin\/store\.js: the public source of @bellhop\/store changes/, {
    base: { 'packages/store/package.json': manifestText('store', { files: ['bin', 'dist'] }) },
    ...source({ 'packages/store/bin/store.js': '#!/usr/bin/env node\n' }, 'A\tpackages/store/bin/store.js'),
  }),
  red(
    'a dependency changes',
    /package\.json:7: .*\(dependencies of its package\.json\)/,
    manifestChanged({ dependencies: { knex: '^3.3.0' } }),
  ),
  red('the order of conditions changes', /\(exports of its package\.json\)/, {
    base: { 'packages/store/package.json': manifestText('store', { exports: { '.': { types: './a.d.ts', default: './a.js' } } }) },
    ...manifestChanged({ exports: { '.': { default: './a.js', types: './a.d.ts' } } }),
  }),
  red('the catalog gives another version', /package\.json:7: .*\(dependencies of its package\.json\)/, {
    base: { ...asksCatalog, 'pnpm-workspace.yaml': catalog('^3.3.0') },
    ...source({ 'pnpm-workspace.yaml': catalog('^4.0.0') }, 'M\tpnpm-workspace.yaml'),
  }),
  red('a package is published for the first time', /private of its package\.json/, {
    ...source({ 'packages/bench/package.json': manifestText('bench') }, 'M\tpackages/bench/package.json'),
  }),
  red('a version is raised and no changelog says so', unannounced, {
    change: { ...storeChanges, ...release },
    shape: ['M\tpackages/store/src/index.ts', 'M\tpackages/store/package.json'],
  }),
  red('a changeset goes and nothing is released', unannounced, {
    base: { '.changeset/a.md': announcement },
    change: { ...storeChanges, '.changeset/a.md': null },
    shape: ['D\t.changeset/a.md', 'M\tpackages/store/src/index.ts'],
  }),

  green('a source changes with its changeset', {
    change: { ...storeChanges, '.changeset/a.md': announcement },
    shape: ['M\tpackages/store/src/index.ts', 'A\t.changeset/a.md'],
  }),
  green('a source changes and an earlier changeset waits', { ...storeChanged, base: { '.changeset/a.md': announcement } }),
  green('a source changes and a changeset says that nothing is released', {
    change: { ...storeChanges, '.changeset/a.md': changeset({ store: 'none' }, 'Moves a line; nothing to see from outside.') },
    shape: ['A\t.changeset/a.md'],
  }),
  green('tests, fixtures and snapshots change', {
    ...source(
      {
        'packages/store/src/index.test.ts': 'it();\n',
        'packages/store/src/index.integration.test.ts': 'it();\n',
        'packages/store/src/rows.fixture.ts': 'export const rows = [];\n',
        'packages/store/src/__snapshots__/index.test.ts.snap': 'exports[`a`] = 1;\n',
        'packages/store/README.md': '# Store\n',
      },
      'A\tpackages/store/src/index.test.ts',
      'A\tpackages/store/src/rows.fixture.ts',
    ),
  }),
  green('a private package changes', source({ 'packages/bench/src/index.ts': 'export {};\n' }, 'M\tpackages/bench/src/index.ts')),
  green('fields that no user sees change', manifestChanged({ scripts: { build: 'tsc -b' }, devDependencies: { vitest: '^4.0.0' } })),
  green('dependencies change their order, and the catalog what nobody published asks for', {
    base: {
      'packages/store/package.json': manifestText('store', { dependencies: { knex: '^3.3.0', zod: '^4.0.0' } }),
      'pnpm-workspace.yaml': catalog('^3.3.0'),
    },
    ...source(
      {
        'packages/store/package.json': manifestText('store', { dependencies: { zod: '^4.0.0', knex: '^3.3.0' } }),
        'pnpm-workspace.yaml': catalog('^4.0.0'),
      },
      'M\tpackages/store/package.json',
      'M\tpnpm-workspace.yaml',
    ),
  }),
  green('a release takes the changesets, raises versions and writes the changelog', {
    base: { '.changeset/a.md': announcement },
    change: {
      '.changeset/a.md': null,
      'packages/store/package.json': manifestText('store', { version: '1.5.0', dependencies: { '@bellhop/loop': '^1.5.0' } }),
      'packages/store/CHANGELOG.md': '# @bellhop/store\n\n## 1.5.0\n\n### Minor Changes\n\n- Something.\n',
      ...storeChanges,
    },
    shape: ['D\t.changeset/a.md', 'M\tpackages/store/package.json', 'A\tpackages/store/CHANGELOG.md'],
  }),
  green('a package goes', {
    change: { 'packages/store/package.json': null, 'packages/store/src/index.ts': null },
    shape: ['D\tpackages/store/package.json'],
  }),
  green('an empty changeset and a source landed in the base meanwhile', {
    ...source({ 'docs/a.md': 'A.\n' }, 'A\tdocs/a.md'),
    as: 'behind',
    meanwhile: { '.changeset/b.md': '', ...storeChanges },
  }),
  green('an empty changeset came with the base it is merged into', {
    ...source({ 'docs/a.md': 'A.\n' }, 'A\tdocs/a.md'),
    as: 'merged',
    meanwhile: { '.changeset/b.md': '' },
  }),
  green('the README is empty', { change: { '.changeset/README.md': '' }, shape: ['A\t.changeset/README.md'] }),
];

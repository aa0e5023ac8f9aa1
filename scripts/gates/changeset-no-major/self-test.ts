// Both directions: majors that are the change's own and undecided, and those that are decided, inherited, or what a pre-release is for.
import { changeset, packageFiles } from '../changesets/self-test-files.js';
import { type Files, type RepositoryCase, repositoryCase } from '../framework/temporary-repository.js';

const packages = { ...packageFiles('store'), ...packageFiles('loop') };
const text = 'Long enough that git takes a file with one word changed for the same file under another name.';
const major = changeset({ store: 'major' }, text);
const minor = changeset({ store: 'minor' }, text);
const decision = (line: string) => `# 9. Drop the old driver\n\n${line}\n\n## Context\n\nIt is old.\n`;

function red(name: string, says: RegExp, options: Omit<RepositoryCase, 'name' | 'expect' | 'base'> & { base?: Files }) {
  return repositoryCase({ name, expect: 1, says, ...options, base: { ...packages, ...options.base } });
}

function green(name: string, options: Omit<RepositoryCase, 'name' | 'expect' | 'base'> & { base?: Files }) {
  return repositoryCase({ name, expect: 0, ...options, base: { ...packages, ...options.base } });
}

const added = { change: { '.changeset/a.md': major }, shape: ['A\t.changeset/a.md'] };
const undecided = /\.changeset\/a\.md:2: adds a major bump of @bellhop\/store \(1\.4\.2 → 2\.0\.0\), which no page in docs\/adr allows/;
const withDecision = (path: string, page: string) => ({
  change: { '.changeset/a.md': major, [path]: page },
  shape: ['A\t.changeset/a.md', `A\t${path}`],
});

export const selfTest = [
  red('a major is added', undecided, added),
  red('the mend says what to write', /"Allows major: @bellhop\/store@2" above its first ## heading/, added),
  red('a minor is raised to major', /a\.md:2: raises minor to major for @bellhop\/store/, {
    base: { '.changeset/a.md': minor },
    change: { '.changeset/a.md': major },
    shape: ['M\t.changeset/a.md'],
  }),
  red('a minor is raised to major in a file that moves', /b\.md:2: raises minor to major/, {
    base: { '.changeset/a.md': minor },
    change: { '.changeset/a.md': null, '.changeset/b.md': major },
    shape: ['R\t.changeset/a.md → .changeset/b.md'],
  }),
  red('a second package joins a major', /a\.md:3: adds a major bump of @bellhop\/loop/, {
    base: { '.changeset/a.md': major },
    change: { '.changeset/a.md': changeset({ store: 'major', loop: 'major' }, text) },
    shape: ['M\t.changeset/a.md'],
  }),
  red('a major is added, and merged into a base that moved on', undecided, { ...added, as: 'merged' }),
  red('a major is added and not committed', undecided, { ...added, as: 'uncommitted' }),
  red('the page allows another package', undecided, withDecision('docs/adr/0009-driver.md', decision('Allows major: @bellhop/loop@2'))),
  red(
    'the page allows an earlier major',
    /docs\/adr\/0009-driver\.md:3 allows @bellhop\/store@1/,
    withDecision('docs/adr/0009-driver.md', decision('Allows major: @bellhop/store@1')),
  ),
  red(
    'the page names the package and no version',
    /0009-driver\.md:3 says "@bellhop\/store", which is no package@major/,
    withDecision('docs/adr/0009-driver.md', decision('Allows major: @bellhop/store')),
  ),
  red(
    'the line is an example, or further down',
    undecided,
    withDecision('docs/adr/0009-driver.md', `${decision('```\nAllows major: @bellhop/store@2\n```')}\nAllows major: @bellhop/store@2\n`),
  ),
  red('the line is in a page that is no decision', undecided, withDecision('docs/adr/README.md', 'Allows major: @bellhop/store@2\n')),
  red('the page that allowed it goes', undecided, {
    base: { 'docs/adr/0009-driver.md': decision('Allows major: @bellhop/store@2') },
    change: { '.changeset/a.md': major, 'docs/adr/0009-driver.md': null },
    shape: ['A\t.changeset/a.md', 'D\tdocs/adr/0009-driver.md'],
  }),
  red('the package is none of the workspace', /@bellhop\/stor, which is no package here[\s\S]*@bellhop\/loop, @bellhop\/store/, {
    change: { '.changeset/a.md': changeset({ stor: 'major' }) },
    shape: ['A\t.changeset/a.md'],
  }),
  red('the changeset cannot be read', /a\.md:1: cannot be read as a changeset: invalid version type "mayor"/, {
    change: { '.changeset/a.md': changeset({ store: 'mayor' }) },
    shape: ['A\t.changeset/a.md'],
  }),
  red('the pre-release state cannot be read', /\.changeset\/pre\.json is no JSON/, {
    change: { '.changeset/a.md': major, '.changeset/pre.json': '{' },
    shape: ['A\t.changeset/pre.json'],
  }),
  red('pre-release mode is being left', undecided, {
    change: { '.changeset/a.md': major, '.changeset/pre.json': '{ "mode": "exit", "changesets": [] }' },
    shape: ['A\t.changeset/pre.json'],
  }),

  green('a page allows it', withDecision('docs/adr/0009-driver.md', decision('Allows major: @bellhop/loop@2, `@bellhop/store@2`'))),
  green('a page of the base allows it, with a version in full', {
    ...added,
    base: { 'docs/adr/0009-driver.md': decision('Allows major: @bellhop/store@2.0.0') },
  }),
  green('less than a major is added', { change: { '.changeset/a.md': minor }, shape: ['A\t.changeset/a.md'] }),
  green('only the text of a major changes', {
    base: { '.changeset/a.md': major },
    change: { '.changeset/a.md': changeset({ store: 'major' }, `${text} And more.`) },
    shape: ['M\t.changeset/a.md'],
  }),
  green('a major moves to another file', {
    base: { '.changeset/a.md': major },
    change: { '.changeset/a.md': null, '.changeset/b.md': major },
    shape: ['R\t.changeset/a.md → .changeset/b.md'],
  }),
  green('a major moves to another file that git does not track yet', {
    as: 'uncommitted',
    base: { '.changeset/a.md': major },
    change: { '.changeset/a.md': null, '.changeset/b.md': major },
    shape: ['D\t.changeset/a.md', 'A\t.changeset/b.md'],
  }),
  green('a major landed in the base meanwhile', {
    as: 'behind',
    change: { '.changeset/a.md': minor },
    meanwhile: { '.changeset/b.md': major },
    shape: ['A\t.changeset/a.md'],
  }),
  green('pre-release mode', {
    change: { '.changeset/a.md': major, '.changeset/pre.json': '{ "mode": "pre", "changesets": [] }' },
    shape: ['A\t.changeset/a.md', 'A\t.changeset/pre.json'],
  }),
  green('a major is released', {
    base: { '.changeset/a.md': major },
    change: { '.changeset/a.md': null },
    shape: ['D\t.changeset/a.md'],
  }),
  green('the README shows one', { change: { '.changeset/README.md': major }, shape: ['A\t.changeset/README.md'] }),
];

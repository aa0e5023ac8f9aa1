// Both directions: breaks that nothing registers and markers that say what is not so, beside each marker that holds.
import { changeset, packageFiles } from '../changesets/self-test-files.js';
import { type Files, type RepositoryCase, repositoryCase } from '../framework/temporary-repository.js';

type Options = Omit<RepositoryCase, 'name' | 'expect' | 'base'> & { base?: Files };

const base = {
  ...packageFiles('store'),
  ...packageFiles('loop', { version: '0.0.0' }),
  ...packageFiles('bench', { private: true }),
  'packages/store/src/options.ts':
    'export interface StoreOptions {\n  readonly url: string;\n}\nexport class Pool {}\ninterface Hidden {}\n',
  'docs/adr/0009-drop-the-old-driver.md': '# 9. Drop the old driver\n',
};
const red = (name: string, says: RegExp, options: Options) =>
  repositoryCase({ name, expect: 1, says, ...options, base: { ...base, ...options.base } });
const green = (name: string, options: Options) => repositoryCase({ name, expect: 0, ...options, base: { ...base, ...options.base } });

const added = (summary: string, bumps: Readonly<Record<string, string>> = { store: 'minor' }) => ({
  change: { '.changeset/a.md': changeset(bumps, summary) },
  shape: ['A\t.changeset/a.md'],
});
const PLAIN = 'The old driver is gone, and with it whatever it alone could do for the store.';
const BOLD = `**BREAKING:** ${PLAIN}`;
const NONE = '<!-- break: no-migration-prescription -->';
const unregistered = /\.changeset\/a\.md:5: declares a break .* and holds no registration marker/;
const prescribed = (what: string) =>
  new RegExp(`prescribes a migration \\(${what}.*while the marker at line 7 says that none is prescribed`);

export const selfTest = [
  red('a major without a marker', /a\.md:2: declares a break \(a major bump of @bellhop\/store\)/, added(PLAIN, { store: 'major' })),
  red('BREAKING in bold without a marker', unregistered, added(BOLD)),
  red(
    'Breaking change in bold, within a list',
    /a\.md:7: declares a break \(__Breaking change__\)/,
    added(`A list:\n\n- __Breaking change__: gone`),
  ),
  red('a summary with type!:', /declares a break \(feat!:\)/, added('feat!: drop the old driver')),
  red('a summary with type(scope)!:', /declares a break \(feat\(store\)!:\)/, added('feat(store)!: drop the old driver')),
  red('the mend says what to write', /add one of <!-- break: adr NNNN -->, .*docs\/guides\/changesets\.md/, added(BOLD)),
  red('a break that a change of the text declares', unregistered, {
    base: { '.changeset/a.md': changeset({ store: 'minor' }, PLAIN) },
    change: { '.changeset/a.md': changeset({ store: 'minor' }, BOLD) },
    shape: ['M\t.changeset/a.md'],
  }),
  red('a marker that gets lost in a move', /b\.md:5: declares a break/, {
    base: { '.changeset/a.md': changeset({ store: 'minor' }, `${BOLD}\n\n${NONE}`) },
    change: { '.changeset/a.md': null, '.changeset/b.md': changeset({ store: 'minor' }, BOLD) },
    shape: ['R\t.changeset/a.md → .changeset/b.md'],
  }),
  red('a break, merged into a base that moved on', unregistered, { ...added(BOLD), as: 'merged' }),
  red('a break that is not committed', unregistered, { ...added(BOLD), as: 'uncommitted' }),
  red('a marker that is only shown', unregistered, added(`${BOLD}\n\nWrite \`${NONE}\` or\n\n\`\`\`md\n${NONE}\n\`\`\``)),
  red('two markers', /a\.md:9: a second registration marker \(break: unpublished\); the first is at line 7/, {
    ...added(`${BOLD}\n\n${NONE}\n\n<!-- break: unpublished -->`, { loop: 'minor' }),
  }),
  red('a category that there is not', /the marker "break: not-so-bad" cannot be read/, added(`${BOLD}\n\n<!-- break: not-so-bad -->`)),
  red('a marker without its colon', /the marker "break unpublished" cannot be read/, added(`${BOLD}\n\n<!-- break unpublished -->`)),
  red('a marker that is never closed', /a\.md:7: the marker .* cannot be read/, added(`${BOLD}\n\n<!-- break: adr 0009\n\nMore.`)),
  red('a decision that is not there', /docs\/adr\/0010-….md, which is not there/, added(`${BOLD}\n\n<!-- break: adr 0010 -->`)),
  red('a decision that the change takes away', /docs\/adr\/0009-….md, which is not there/, {
    change: { ...added(`${BOLD}\n\n<!-- break: adr 0009 -->`).change, 'docs/adr/0009-drop-the-old-driver.md': null },
    shape: ['A\t.changeset/a.md', 'D\tdocs/adr/0009-drop-the-old-driver.md'],
  }),
  red('unpublished, with a package that is published', /but @bellhop\/store 1\.4\.2 is published/, {
    ...added(`${BOLD}\n\n<!-- break: unpublished -->`, { loop: 'minor', store: 'minor' }),
  }),
  red('types-only, of a file that is not there', /there is no such file/, {
    ...added(`${BOLD}\n\n<!-- break: types-only packages/store/src/gone.ts#StoreOptions -->`),
  }),
  red('types-only, of a name that is not exported', /type Hidden of .* which that file does not export/, {
    ...added(`${BOLD}\n\n<!-- break: types-only packages/store/src/options.ts#Hidden -->`),
  }),
  red('types-only, of a class', /type Pool of .* which is there at run time, too/, {
    ...added(`${BOLD}\n\n<!-- break: types-only packages/store/src/options.ts#StoreOptions packages/store/src/options.ts#Pool -->`),
  }),
  red('types-only, of another package', /which is no source of a package it names/, {
    ...added(`${BOLD}\n\n<!-- break: types-only packages/store/src/options.ts#StoreOptions -->`, { loop: 'minor' }),
  }),
  red('no prescription, with labels', prescribed('the labels FROM and TO'), added(`${BOLD}\n\n${NONE}\n\n- FROM: \`a\`\n- TO: \`b\``)),
  red('no prescription, with an arrow between code', prescribed('the rewrite `a` → `b`'), added(`${BOLD}\n\n${NONE}\n\n\`a\` → \`b\``)),
  red(
    'no prescription, with an arrow in code',
    prescribed('the rewrite "a\\(\\) → '),
    added(`${BOLD}\n\n${NONE}\n\n\`\`\`\na() → b()\n\`\`\``),
  ),
  red('no prescription, with a table', prescribed('a table'), added(`${BOLD}\n\n${NONE}\n\n| was | is |\n| --- | --- |\n| a | b |`)),
  red(
    'no prescription, with a table and no break declared',
    prescribed('a table'),
    added(`${PLAIN}\n\n${NONE}\n\nwas | is\n--- | ---\na | b`),
  ),
  red('the changeset cannot be read', /a\.md:1: cannot be read as a changeset/, {
    change: { '.changeset/a.md': BOLD },
    shape: ['A\t.changeset/a.md'],
  }),

  green('no break', added(PLAIN)),
  green(
    'the word in code, in prose and in other bold words',
    added(`Prints \`**BREAKING**\`; **nothing breaking here**, as breaking news go.`),
  ),
  green('a decision that is there', added(`${BOLD}\n\n<!-- break: adr 0009 -->`)),
  green('a decision that the change brings, with a note', {
    change: { ...added(`${BOLD}\n\n<!-- break: adr 0010 — with what was refused -->`).change, 'docs/adr/0010-other.md': '# 10. Other\n' },
    shape: ['A\t.changeset/a.md', 'A\tdocs/adr/0010-other.md'],
  }),
  green('unpublished packages', added(`${BOLD}\n\n<!-- break: unpublished -->`, { loop: 'major', bench: 'minor' })),
  green('types only', added(`${BOLD}\n\n<!-- break: types-only packages/store/src/options.ts#StoreOptions -->`)),
  green(
    'no prescription, and none there',
    added(`${BOLD} From here on it is refused.\n\n${NONE}\n\n\`\`\`ts\nf((a) => a); // → 3\n\`\`\``),
  ),
  green('a prescription in a break that was decided', added(`${BOLD}\n\n<!-- break: adr 0009 -->\n\n\`a\` → \`b\``)),
  green('a break landed in the base meanwhile', {
    ...added(PLAIN),
    as: 'behind',
    meanwhile: { '.changeset/b.md': changeset({ store: 'major' }, BOLD) },
  }),
  green('an old changeset that is released', {
    base: { '.changeset/a.md': changeset({ store: 'major' }, BOLD) },
    change: { '.changeset/a.md': null },
    shape: ['D\t.changeset/a.md'],
  }),
  green('the README shows one', {
    change: { '.changeset/README.md': changeset({ store: 'major' }, BOLD) },
    shape: ['A\t.changeset/README.md'],
  }),
];

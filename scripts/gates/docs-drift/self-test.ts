// Both directions: pages that name what a change touches, beside changes that touch nothing and names that no page says.
import { repositoryCase } from '../framework/temporary-repository.js';
import { changed, green, LOOP, loopOptions, named, page, red } from './self-test-cases.js';
import { namesCases } from './self-test-names.js';

/** The type of `intervalMs` changes. */
const intervalMs = (text: string) => changed(LOOP, loopOptions('number'), loopOptions('number | undefined'), text);
const told = intervalMs('Give it `intervalMs`.');
const MOVED = 'packages/loop/src/options.ts';
const moved = (type: string) => ({ ...told, change: { [LOOP]: null, [MOVED]: loopOptions(type) }, shape: [`R\t${LOOP} → ${MOVED}`] });

const nineLoops = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((letter) => `${letter}Loop`);
const route = (summary: string) => `const list = createRoute({ method: 'post', path: '/v1/inbox', summary: '${summary}' });\n`;
const unnamed = /nothing wrong/;
const unseen = (what: string) => new RegExp(`docs-drift: not seen: 1 ${what}`);

export const selfTest = [
  ...namesCases,

  red('a name in a heading', named('`intervalMs`'), intervalMs('## The intervalMs of a loop')),
  red('in the README of a package', /packages\/loop\/README\.md:3: names a thing/, {
    ...told,
    base: { [LOOP]: loopOptions('number'), 'packages/loop/README.md': page('Give it `intervalMs`.') },
  }),
  red(
    'what is gone comes first',
    /:5: names 2 things that the change touches, 1 of them gone\n {4}5: `goneLoop`, a function, gone from .*\n {4}3: `runLoop`/,
    changed(
      LOOP,
      'export function runLoop() {}\nexport function goneLoop() {}\n',
      'export function runLoop(at) {}\n',
      '`runLoop()`\n\n`goneLoop()`',
    ),
  ),
  red('what leaves one interface and stays in another is not gone', /touches\n {4}3: `intervalMs`, a field .*, removed from/, {
    base: { ...told.base, 'packages/loop/src/other.ts': 'export interface Other { intervalMs: number }\n' },
    change: { [LOOP]: '// Nothing here.\n' },
    shape: [`M\t${LOOP}`],
  }),
  red('merged into a base that moved on', named('`intervalMs`'), { ...told, as: 'merged' }),
  red('not committed', named('`intervalMs`'), { ...told, as: 'uncommitted' }),
  red('in a source that moves and changes', named('`intervalMs`, .*, changed in packages/loop/src/options\\.ts:4'), moved('bigint')),
  red('from the empty tree, page by page, the rest counted', /guide\.md:3: names 9 things .*\n(?: .*\n){8} {4}and 1 more\n/, {
    args: ['--strict'],
    base: {
      'docs/guide.md': page(nineLoops.map((name) => `\`${name}\``).join(' ')),
      [LOOP]: nineLoops.map((name) => `export function ${name}() {}\n`).join(''),
    },
    change: {},
    shape: [],
  }),
  repositoryCase({
    name: 'a source that cannot be parsed, strict or not',
    expect: 1,
    says: /cannot be read, which is no pass: .*packages\/loop\/src\/loop\.ts:1 cannot be parsed/,
    base: {},
    change: { [LOOP]: 'export interface {\n' },
    shape: [`A\t${LOOP}`],
  }),

  repositoryCase({ name: 'advice passes', expect: 0, says: named('`intervalMs`'), ...told }),
  green('layout, comments and quotes are no change', unnamed, {
    ...told,
    change: { [LOOP]: `// Why.\n${loopOptions('number').replaceAll('\n  ', '\n\t')}` },
  }),
  green('a declaration that moves is as it was', unnamed, moved('number')),
  green('a neighbour of what changed', unnamed, intervalMs('`LoopOptions`, `intervalMsMax`, and intervalMs in prose.')),
  green(
    'another method of a path, and a path below it',
    unnamed,
    changed('packages/host/src/http/routes.ts', route('Marks'), route('Marks all'), '`GET /v1/inbox` and `POST /v1/inbox/:userId`.'),
  ),
  green('tests', unnamed, changed('packages/loop/src/loop.test.ts', loopOptions('number'), loopOptions('string'), '`intervalMs`')),
  green(
    'what only the module itself sees, said to be unseen',
    unseen('changed files without an anchor: packages/loop/src/loop\\.ts\n'),
    changed(LOOP, 'function hiddenLoop() { return 1; }\n', 'function hiddenLoop() { return 2; }\n', '`hiddenLoop`'),
  ),
  green(
    'a word that is too common to look for, said to be unseen',
    unseen('names too generic to look for: tick\n'),
    changed(LOOP, 'export function tick() { return 1; }\n', 'export function tick() { return 2; }\n', 'Then `tick()`.'),
  ),
  green(
    'a page that the change touches itself, said to be unseen',
    unseen('pages that the change touches itself: docs/guide\\.md \\(names 1\\)'),
    {
      ...told,
      change: { ...told.change, 'docs/guide.md': page('Give it `intervalMs`, or nothing.') },
      shape: [`M\t${LOOP}`, 'M\tdocs/guide.md'],
    },
  ),
  green(
    'a page that a tool writes, said to be unseen',
    unseen('pages that a tool writes: docs/guide\\.md\n'),
    intervalMs('Written by `pnpm census --write`; do not edit.\n\n`intervalMs`'),
  ),
  green(
    'the part of a page that a tool writes',
    unnamed,
    intervalMs('<!-- census: generated from here, by pnpm -->\n`intervalMs`\n<!-- census: to here -->'),
  ),
  green('what landed in the base meanwhile', unnamed, {
    as: 'behind',
    base: told.base,
    change: { 'docs/other.md': 'One.\n' },
    meanwhile: told.change,
    shape: ['A\tdocs/other.md'],
  }),
];

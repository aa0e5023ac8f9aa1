// What the gate must call wrong, and what it must let pass, each as a real repository that is compiled.
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitCode } from '../framework/exit-codes.js';
import type { SelfTestCase } from '../framework/gate.js';
import type { Repository } from '../framework/repository.js';
import { type Files, repositoryCase } from '../framework/temporary-repository.js';
import { linkDependencies } from './dependency-links.js';
import { readPackage } from './workspace-packages.js';

const REPORT = `# Public declarations of @acme/greeter

Written by \`pnpm gate api-report --write\`; do not edit. A line that changes here changes what users compile against: it needs a changeset.

## @acme/greeter

\`\`\`ts
export class Greeter {
    greet(name: string): Greeting;
}

export interface Greeting {
    readonly text: string;
    readonly tone?: Tone;
}

interface Tone {
    readonly loud: boolean;
}
\`\`\`
`;
const manifest = (name: string, more = {}) =>
  JSON.stringify({
    name: `@acme/${name}`,
    exports: { '.': { 'bellhop-source': './src/index.ts', types: './dist/index.d.ts' } },
    ...more,
  });
const greeter = 'packages/greeter/src/greeter.ts';
const report = 'packages/greeter/api.md';

const SMALL_WORKSPACE: Files = {
  '.gitignore': 'node_modules/\n',
  'tsconfig.base.json': JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      lib: ['es2023'],
      types: ['node'],
      strict: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
    },
  }),
  'packages/greeter/package.json': manifest('greeter', { type: 'module' }),
  'packages/greeter/src/index.ts': `export { Greeter, type Greeting } from './greeter.js';\n`,
  [greeter]: `interface Tone {
  readonly loud: boolean;
}
/** What is said. */
export interface Greeting {
  readonly text: string;
  readonly tone?: Tone;
}
export class Greeter {
  greet(name: string): Greeting {
    return { text: 'Hello ' + name };
  }
}
`,
  'packages/greeter/src/greeter.test.ts': `import { nothing } from 'nowhere';\n`,
  [report]: REPORT,
  'packages/internal/package.json': manifest('internal', { type: 'module', private: true }),
  'packages/internal/src/index.ts': `export {};\n`,
};

/** A change of a file of the small workspace: one text for another. */
function edit(path: string, from: string, to: string): Files {
  const text = SMALL_WORKSPACE[path]!;
  if (!text.includes(from)) throw new Error(`${path} does not hold ${JSON.stringify(from)}`);
  return { [path]: text.replace(from, to) };
}

function change(name: string, expect: ExitCode, change: Files, says: RegExp, args?: readonly string[]): SelfTestCase {
  return repositoryCase({
    name,
    expect,
    base: SMALL_WORKSPACE,
    setUp: linkTypes,
    change,
    shape: Object.entries(change).map(
      ([path, text]) => `${text === null ? 'D' : Object.hasOwn(SMALL_WORKSPACE, path) ? 'M' : 'A'}\t${path}`,
    ),
    says,
    ...(args ? { args } : {}),
  });
}

export const apiReportSelfTest: readonly SelfTestCase[] = [
  change(
    'code, documentation and a private member are no declarations',
    0,
    {
      [greeter]: SMALL_WORKSPACE[greeter]!.replace("'Hello '", 'this.hello').replace(
        '  greet(',
        "  private hello = 'Hi ';\n  /** Says it. */\n  greet(",
      ),
      'packages/greeter/src/other.ts': 'export const other = 1;\n',
    },
    /1 packages, 21 lines of declarations; nothing wrong/,
  ),
  change(
    'a signature',
    1,
    edit(greeter, 'greet(name: string)', 'greet(name: string, loud = false)'),
    /greeter\/api\.md:9: .*@acme\/greeter.*\n.*\n {4}- {4}greet\(name: string\): Greeting;\n {4}\+ {4}greet\(name: string, loud\?: boolean\): Greeting;\n.*--write.*changeset/,
  ),
  change('an export that is gone', 1, edit('packages/greeter/src/index.ts', 'Greeter, type', 'type'), /-export class Greeter \{/),
  change('a type that an exported one mentions', 1, edit(greeter, 'loud: boolean', 'loud: number'), /\+ {4}readonly loud: number;/),
  change(
    'a class that is a type only',
    1,
    edit('packages/greeter/src/index.ts', 'Greeter, type', 'type Greeter, type'),
    /\+\/\/ Exported as types only: Greeter\./,
  ),
  change(
    'what is declared about others',
    1,
    edit(greeter, 'interface Tone', 'declare global {\n  var greeted: number;\n}\ninterface Tone'),
    /\+declare global \{/,
  ),
  change('a report that was written by hand', 1, { [report]: REPORT.replace('loud: boolean', 'loud: string') }, /api\.md:18: /),

  change('a report that is missing', 1, { [report]: null }, /greeter\/api\.md: the report of @acme\/greeter is missing\n.*--write/),
  change(
    'a report of a package that is not published',
    1,
    { 'packages/internal/api.md': REPORT },
    /internal\/api\.md: is a report of no published package/,
  ),
  change(
    'reports that are written',
    0,
    { ...edit(greeter, 'loud: boolean', 'loud: number'), 'packages/gone/api.md': REPORT },
    /wrote packages\/greeter\/api\.md\n.*wrote packages\/gone\/api\.md\n.*nothing wrong/,
    ['--write'],
  ),

  change(
    'a name that cannot be resolved',
    1,
    edit(greeter, 'tone?: Tone', 'tone?: Pitch'),
    /do not compile.*\n.*greeter\.ts\(7,19\).*'Pitch'/,
  ),
  change(
    'a face that exports everything',
    1,
    { 'packages/greeter/src/index.ts': `export * from './greeter.js';\n` },
    /exports everything of another module/,
  ),
  change(
    'an entry whose types are built elsewhere',
    1,
    edit('packages/greeter/package.json', 'dist/index', 'dist/main'),
    /has its types at "\.\/dist\/main\.d\.ts"/,
  ),
  change('no published package', 1, { 'packages/greeter/package.json': manifest('greeter', { private: true }) }, /No published package/),
  change(
    'a dependency that is not installed',
    3,
    { 'packages/greeter/package.json': manifest('greeter', { dependencies: { zod: '*' } }) },
    /NOT MEASURED: zod.*bootstrap/,
  ),

  repositoryCase({
    name: "the real sources, and a member more of the kernel's clock",
    expect: 1,
    base: realSources,
    setUp: linkReal,
    change: (checkout) => ({
      'packages/kernel/src/clock.ts': checkout
        .read('packages/kernel/src/clock.ts')!
        .replace('now(): number;', 'now(): number;\n  readonly zone?: string;'),
    }),
    shape: ['M\tpackages/kernel/src/clock.ts'],
    says: /packages\/kernel\/api\.md:\d+: .*\n {4}@@.*\n {4}\+ {4}readonly zone\?: string;\n.*--write/,
  }),
];

function linkTypes(folder: string, checkout: Repository): void {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(realpathSync(join(checkout.root, 'node_modules/@types')), join(folder, 'node_modules/@types'));
}

/** What the packages of the checkout are made of: manifests, sources, reports, and how they are compiled. */
function realSources(checkout: Repository): Files {
  const paths = checkout
    .files()
    .filter((path) => /^packages\/[^/]+\/(src\/.*\.ts|package\.json|api\.md)$|^tsconfig\.base\.json$|^\.gitignore$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, checkout.read(path) ?? null]));
}

function linkReal(folder: string, checkout: Repository): void {
  linkTypes(folder, checkout);
  const packages = checkout.files().flatMap((path) => {
    const own = /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1];
    return own === undefined ? [] : [readPackage(own, checkout.read(path)!)];
  });
  linkDependencies({ root: checkout.root, to: join(folder, 'packages'), packages });
}

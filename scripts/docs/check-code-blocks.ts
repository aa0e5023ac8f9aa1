// Type-checks every ```ts block of the documentation: an example that no longer compiles is a page that no longer tells the truth.
// Each block is a module of its own; imports of @bellhop packages resolve to their source.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { codeBlocks } from './code-blocks.js';

const root = join(import.meta.dirname, '../..');
// Below packages/host, so that its dependencies resolve in the blocks as they do for whoever installed the host.
const folder = join(root, 'packages/host/node_modules/.cache/docs-code-blocks');

const sources = new Map<string, string>();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const page of pages()) {
  const name = relative(root, page);
  for (const { language, code, line } of codeBlocks(readFileSync(page, 'utf8'))) {
    if (language !== 'ts') continue;
    const file = `${name.replaceAll(/[/.]/g, '_')}_${line}.ts`;
    sources.set(file, `${name}:${line}`);
    writeFileSync(join(folder, file), `${code}\nexport {};\n`);
  }
}
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: true,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
      inlineSources: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(root, 'node_modules/@types')],
      paths: { '@bellhop/*': [join(root, 'packages/*/src/index.ts')] },
    },
    include: ['*.ts'],
  }),
);
if (sources.size === 0) fail('No ```ts block was found: the pages moved, or their fences changed.');
const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
  cwd: folder,
  encoding: 'utf8',
});
if (status !== 0)
  fail(
    stdout.replaceAll(
      /^(\S+\.ts)\((\d+)/gm,
      (_match, file: string, line: string) => `${sources.get(file) ?? file} (line ${line} of the block`,
    ),
  );
console.log(`${sources.size} code blocks compile`);

function pages(): string[] {
  const markdown = (path: string) =>
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => join(path, file));
  const readmes = readdirSync(join(root, 'packages')).flatMap((name) =>
    readdirSync(join(root, 'packages', name))
      .filter((file) => file === 'README.md')
      .map((file) => join(root, 'packages', name, file)),
  );
  return [join(root, 'README.md'), ...markdown(join(root, 'docs')), ...readmes];
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

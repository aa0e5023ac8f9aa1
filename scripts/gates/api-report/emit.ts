// Compiles the packages into a folder of its own, from source to source: no dist is read or written, however old it may be. One program for all,
// of the files that users can reach; tests and fixtures are not among them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { WorkspacePackage } from './workspace-packages.js';

/**
 * Writes `<to>/<folder>/src/*.d.ts` and `*.js` for the entries of the published packages and all they load. Throws with the compiler's words on source
 * that does not compile: what is not known there would be `any` in the report.
 */
export function emitDeclarations(root: string, packages: readonly WorkspacePackage[], to: string): void {
  mkdirSync(to, { recursive: true });
  const project = join(to, 'tsconfig.json');
  writeFileSync(project, JSON.stringify(tsconfig(root, packages, to)));
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (error || status !== 0) {
    throw new Error(
      `The packages do not compile, so what they export is not known. Mend what tsc says:\n${error?.message ?? stdout + stderr}`,
    );
  }
}

function tsconfig(root: string, packages: readonly WorkspacePackage[], to: string) {
  return {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      rootDir: join(root, 'packages'),
      outDir: to,
      typeRoots: [join(root, 'node_modules/@types')],
      // By path, so that no link of an install leads to another checkout.
      paths: Object.fromEntries(
        packages.flatMap(({ entries }) => entries.map(({ specifier, source }) => [specifier, [join(root, source)]])),
      ),
      declaration: true,
      declarationMap: false,
      sourceMap: false,
      inlineSources: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    files: packages.flatMap(({ published, entries }) => (published ? entries.map(({ source }) => join(root, source)) : [])),
  };
}

// Makes the reports of all published packages from their sources, in a folder that is gone afterwards.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Repository } from '../framework/repository.js';
import { augmentationsOf } from './augmentations.js';
import { linkDependencies } from './dependency-links.js';
import { emitDeclarations } from './emit.js';
import { extractReports } from './extract.js';
import type { FreshReport } from './judge-reports.js';
import { renderReport } from './render-report.js';
import { readPackage, type WorkspacePackage } from './workspace-packages.js';

export async function freshReports(repository: Repository): Promise<FreshReport[]> {
  const packages = readPackages(repository);
  const published = packages.filter((each) => each.published);
  if (published.length === 0)
    throw new Error('No published package was found below packages/: the layout changed, and nothing was looked at.');

  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'api-report-')));
  try {
    const emitted = join(folder, 'packages');
    linkDependencies({ root: repository.root, to: emitted, packages });
    emitDeclarations(repository.root, packages, emitted);
    for (const each of packages) {
      mkdirSync(join(emitted, each.folder), { recursive: true });
      writeFileSync(join(emitted, each.folder, 'package.json'), manifestOf(each));
    }
    const all = published.flatMap(({ folder: own, entries }) =>
      entries.map(({ source }) => ({ packageFolder: join(emitted, own), declarations: join(folder, outputOf(source, '.d.ts')) })),
    );
    const extracted = await extractReports(all, {
      typeRoots: [join(repository.root, 'node_modules/@types')],
      scratch: join(folder, 'reports'),
    });
    return published.map(({ name, folder: own, entries }) => {
      const parts = entries.map(({ specifier, source }) => ({
        specifier,
        extracted: extracted.shift()!,
        code: readFileSync(join(folder, outputOf(source, '.js')), 'utf8'),
      }));
      return { name, path: `packages/${own}/api.md`, text: renderReport(name, parts, augmentationsIn(join(emitted, own, 'src'))) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readPackages(repository: Repository): WorkspacePackage[] {
  return repository.files().flatMap((path) => {
    const folder = /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1];
    return folder === undefined ? [] : [readPackage(folder, repository.read(path)!)];
  });
}

function outputOf(source: string, extension: string): string {
  return source.replace(/\.ts$/, extension);
}

/** For the packages that import it: its faces, at the declarations that were emitted. */
function manifestOf({ name, entries, folder }: WorkspacePackage): string {
  const exports = entries.map(({ specifier, source }) => [
    `.${specifier.slice(name.length)}`,
    { types: outputOf(source, '.d.ts').replace(`packages/${folder}`, '.') },
  ]);
  return JSON.stringify({ name, version: '0.0.0', type: 'module', exports: Object.fromEntries(exports) });
}

function augmentationsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
  return files.flatMap((file) => augmentationsOf(file, readFileSync(join(folder, file), 'utf8')));
}

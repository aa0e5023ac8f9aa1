// The packages of the workspace with what each lets others import, read from the manifests. An entry without a source, or whose declarations
// are built somewhere else than its source says, throws: a report of it would speak of something that nobody gets.
import { posix } from 'node:path';

export interface WorkspacePackage {
  /** Below packages/. */
  readonly folder: string;
  readonly name: string;
  readonly published: boolean;
  readonly entries: readonly Entry[];
  /** Names of what it needs to be compiled, and whether it can do without. */
  readonly dependencies: ReadonlyMap<string, 'required' | 'optional'>;
}

export interface Entry {
  /** What users write: `@bellhop/testing/vitest-global-setup`. */
  readonly specifier: string;
  /** From the root of the repository. */
  readonly source: string;
}

type Names = Record<string, unknown> | undefined;

/** Reads the text of `packages/<folder>/package.json`. */
export function readPackage(folder: string, text: string): WorkspacePackage {
  const path = `packages/${folder}/package.json`;
  const manifest = parseManifest(path, text);
  const { name, exports } = manifest;
  if (typeof name !== 'string') throw new Error(`${path} has no name. Give the name that others import it by.`);
  if (typeof exports !== 'object' || exports === null) {
    throw new Error(`${path} has no exports. Say what may be imported: { ".": { "bellhop-source", "types", "default" } }.`);
  }
  const entries = Object.entries(exports as Record<string, unknown>).flatMap(([subpath, target]) =>
    subpath.endsWith('.json') ? [] : [readEntry(path, posix.join(name, subpath), target)],
  );
  const optionalPeers = Object.keys((manifest.peerDependenciesMeta as Names) ?? {});
  const dependencies = new Map<string, 'required' | 'optional'>();
  for (const each of [...Object.keys((manifest.optionalDependencies as Names) ?? {}), ...optionalPeers]) dependencies.set(each, 'optional');
  for (const field of ['dependencies', 'devDependencies', 'peerDependencies'] as const) {
    for (const each of Object.keys((manifest[field] as Names) ?? {})) if (!dependencies.has(each)) dependencies.set(each, 'required');
  }
  return { folder, name, published: manifest.private !== true, entries, dependencies };
}

function parseManifest(path: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}. Mend its JSON.`);
  }
}

function readEntry(path: string, specifier: string, target: unknown): Entry {
  const { 'bellhop-source': source, types } = (typeof target === 'object' ? target : {}) as Record<string, unknown>;
  if (typeof source !== 'string' || !source.startsWith('./src/') || !source.endsWith('.ts')) {
    throw new Error(`${path}: ${specifier} names no source. Give it the condition "bellhop-source": "./src/….ts".`);
  }
  const built = source.replace('./src/', './dist/').replace(/\.ts$/, '.d.ts');
  if (types !== built) {
    throw new Error(`${path}: ${specifier} has its types at ${JSON.stringify(types)}, but ${source} is built to ${built}. Make them one.`);
  }
  return { specifier, source: posix.join(posix.dirname(path), source) };
}

// What the gate judges, as data: the packages with their manifests, and every source file with the unit it belongs to and its imports. Nothing here
// is an opinion; what cannot be read throws.
import { posix } from 'node:path';
import { type ImportReference, readImports } from './read-imports.js';

export interface WorkspacePackage {
  /** Below packages/. */
  readonly folder: string;
  readonly name: string;
  /** What others may import: `.` and the subpaths its manifest exports. */
  readonly faces: ReadonlySet<string>;
  /** Installed along with it: dependencies, peers and optional ones. */
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  readonly manifest: { readonly path: string; readonly text: string };
}

export interface SourceFile {
  readonly path: string;
  /** The folder of its package below packages/; null for the scripts and configurations of the workspace. */
  readonly unit: string | null;
  /** Only `product` is published; `script` is what lies outside of the packages. */
  readonly role: 'product' | 'test' | 'fixture' | 'script';
  readonly imports: readonly ImportReference[];
}

export interface Workspace {
  readonly packages: readonly WorkspacePackage[];
  /** Folders below packages/ that hold source and no manifest. */
  readonly strays: readonly string[];
  readonly sources: readonly SourceFile[];
  /** Every file of the repository: what a relative import may name. */
  readonly files: ReadonlySet<string>;
  /** What the root manifest declares: for scripts, and for tests everywhere. */
  readonly rootDependencies: ReadonlySet<string>;
}

const SOURCE = /\.[cm]?[jt]sx?$/;

/** `files`: every path of the repository; `read`: the text of one. */
export function readWorkspace(files: readonly string[], read: (path: string) => string): Workspace {
  const folders = new Set(files.flatMap((path) => /^packages\/([^/]+)\/./.exec(path)?.[1] ?? []));
  const packages = [...folders]
    .filter((folder) => files.includes(`packages/${folder}/package.json`))
    .map((folder) => readPackage(folder, read(`packages/${folder}/package.json`)));
  const known = new Set(packages.map(({ folder }) => folder));
  const sources = files
    .filter((path) => SOURCE.test(path))
    .map((path): SourceFile => {
      const unit = /^packages\/([^/]+)\//.exec(path)?.[1] ?? null;
      return { path, unit, role: roleOf(path, unit), imports: readImports(path, read(path)) };
    });
  if (packages.length === 0 || sources.length === 0) {
    throw new Error(
      'No package or no source file was found below packages/: the layout changed, and this gate would pass whatever is written.',
    );
  }
  const strays = [...new Set(sources.flatMap(({ unit }) => (unit !== null && !known.has(unit) ? [unit] : [])))];
  const root = parseManifest('package.json', read('package.json'));
  return {
    packages,
    strays,
    sources,
    files: new Set(files),
    rootDependencies: new Set([...keys(root.dependencies), ...keys(root.devDependencies)]),
  };
}

function roleOf(path: string, unit: string | null): SourceFile['role'] {
  if (unit === null) return 'script';
  if (/\.test\.[^.]+$/.test(posix.basename(path))) return 'test';
  return /\.fixture\.[^.]+$/.test(posix.basename(path)) ? 'fixture' : 'product';
}

type Manifest = Partial<
  Record<'dependencies' | 'devDependencies' | 'peerDependencies' | 'optionalDependencies', Record<string, string>>
> & {
  name?: string;
  exports?: string | Record<string, unknown>;
};

function readPackage(folder: string, text: string): WorkspacePackage {
  const path = `packages/${folder}/package.json`;
  const manifest = parseManifest(path, text);
  if (manifest.name === undefined) throw new Error(`${path} has no name. Give the name that others import it by.`);
  const { exports } = manifest;
  const subpaths = typeof exports === 'object' ? Object.keys(exports).filter((key) => key.startsWith('.')) : [];
  return {
    folder,
    name: manifest.name,
    faces: new Set(subpaths.length === 0 ? ['.'] : subpaths),
    dependencies: new Set([...keys(manifest.dependencies), ...keys(manifest.peerDependencies), ...keys(manifest.optionalDependencies)]),
    devDependencies: new Set(keys(manifest.devDependencies)),
    manifest: { path, text },
  };
}

function parseManifest(path: string, text: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}. Mend its JSON.`);
  }
}

function keys(record: Record<string, string> | undefined): string[] {
  return Object.keys(record ?? {});
}

/** The file that a relative specifier names: `./x.js` is compiled from `x.ts`. Undefined where there is none. */
export function targetOf(from: string, specifier: string, files: ReadonlySet<string>): string | undefined {
  const path = posix.join(posix.dirname(from), specifier);
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [path, source, `${source}x`].find((each) => files.has(each));
}

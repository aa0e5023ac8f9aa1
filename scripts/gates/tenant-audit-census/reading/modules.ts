// The sources of the product as one graph: which declaration an import stands for, through re-exports. It knows only the files it was given;
// everything else is a name of some other module.
import { posix } from 'node:path';
import type { Node } from 'oxc-parser';
import { type Binding, bindingOf, WHOLE_MODULE } from './bindings.js';
import type { SourceFile } from './source-file.js';

/** What an exported name is: a declaration in one of the files, an expression (`export default …`), or a name that lies outside of them. */
export type Exported =
  | { readonly kind: 'name'; readonly file: SourceFile; readonly name: string }
  | { readonly kind: 'expression'; readonly file: SourceFile; readonly node: Node }
  | { readonly kind: 'module'; readonly file: SourceFile }
  | { readonly kind: 'outside'; readonly from: string; readonly name: string };

export class Modules {
  readonly #files: ReadonlyMap<string, SourceFile>;

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  /** What an import binding stands for; undefined where the module is known and exports no such name. */
  imported(binding: Extract<Binding, { kind: 'import' }>): Exported | undefined {
    return this.#find(binding.file, binding.from, binding.imported, new Set());
  }

  /** What a module of ours exports under a name. */
  exported(file: SourceFile, name: string, seen: Set<string> = new Set()): Exported | undefined {
    // Two modules that re-export each other.
    const key = `${file.path}\n${name}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    const stars: string[] = [];
    for (const { entries } of file.module.staticExports) {
      for (const { moduleRequest, importName, exportName, localName, start, end } of entries) {
        if (importName.kind === 'AllButDefault') {
          if (moduleRequest) stars.push(moduleRequest.value);
          continue;
        }
        if ((exportName.kind === 'Default' ? 'default' : exportName.name) !== name) continue;
        if (moduleRequest) {
          return this.#find(file, moduleRequest.value, importName.kind === 'All' ? WHOLE_MODULE : (importName.name ?? 'default'), seen);
        }
        if (localName.name !== null) return this.local(file, localName.name, seen);
        const node = file.nodes.find((each) => each.type === 'ExportDefaultDeclaration' && each.start <= start && each.end >= end);
        return node?.type === 'ExportDefaultDeclaration' ? { kind: 'expression', file, node: node.declaration } : undefined;
      }
    }
    for (const from of stars) {
      const found = this.#find(file, from, name, seen);
      // A star over a module outside may hold every name; whoever looks for one of ours finds it in one of ours.
      if (found && found.kind !== 'outside') return found;
    }
    return undefined;
  }

  /** A name at the top of a file, followed where it is an import itself. */
  local(file: SourceFile, name: string, seen: Set<string> = new Set()): Exported | undefined {
    const binding = bindingOf(file, name, file.program);
    return binding?.kind === 'import' ? this.#find(file, binding.from, binding.imported, seen) : { kind: 'name', file, name };
  }

  #find(importer: SourceFile, from: string, name: string, seen: Set<string>): Exported | undefined {
    const file = this.#resolve(importer.path, from);
    if (!file) return { kind: 'outside', from, name };
    return name === WHOLE_MODULE ? { kind: 'module', file } : this.exported(file, name, seen);
  }

  #resolve(importer: string, from: string): SourceFile | undefined {
    for (const path of candidates(importer, from)) {
      const file = this.#files.get(path);
      if (file) return file;
    }
    return undefined;
  }
}

/** Where the source of a module may lie: `./x.js` is `./x.ts`, `@bellhop/x` is the folder of that name. */
function candidates(importer: string, from: string): string[] {
  if (from.startsWith('.')) {
    const path = posix.join(posix.dirname(importer), from);
    const bare = path.replace(/\.([cm]?)js(x?)$/, '');
    return [path, ...['.ts', '.tsx', '.mts', '.cts'].map((ending) => `${bare}${ending}`), `${path}/index.ts`];
  }
  const ours = /^@bellhop\/([^/]+)(?:\/(.+))?$/.exec(from);
  if (!ours) return [];
  const folder = `packages/${ours[1]}/src`;
  return ours[2] === undefined ? [`${folder}/index.ts`] : [`${folder}/${ours[2]}.ts`, `${folder}/${ours[2]}/index.ts`];
}

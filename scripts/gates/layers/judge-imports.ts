// Holds every import against the layering, the faces of packages and what the manifests declare. At most one finding an import: the weightiest.
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type Finding, lineOf } from '../framework/finding.js';
import type { ExceptedImport } from './excepted-imports.js';
import { INSIDE_READERS } from './layer-table.js';
import { isListed, type Layering, narrowingBroken, refusalOf } from './layering.js';
import type { ImportReference } from './read-imports.js';
import { type SourceFile, targetOf, type Workspace, type WorkspacePackage } from './workspace.js';

const TABLE = 'scripts/gates/layers/layer-table.ts';
const EXCEPTIONS = 'scripts/gates/layers/excepted-imports.ts';

interface Fault extends Pick<Finding, 'what' | 'mend'> {
  /** Whether a reason can let it stay. */
  readonly exceptable?: boolean;
}

export function judgeImports(workspace: Workspace, layering: Layering, excepted: readonly ExceptedImport[]): Finding[] {
  const findings: Finding[] = [];
  const used = new Set<ExceptedImport>();
  for (const source of workspace.sources) {
    for (const each of source.imports) {
      const fault = faultOf(workspace, layering, source, each);
      if (fault === undefined) continue;
      const exception = fault.exceptable && excepted.find(({ file, written }) => file === source.path && written === each.written);
      if (exception) used.add(exception);
      else findings.push({ file: source.path, line: each.line, what: fault.what, mend: fault.mend });
    }
  }
  // The list speaks for the repository that holds it: what a self-test builds is another.
  const stale = workspace.files.has(EXCEPTIONS) ? excepted.filter((exception) => !used.has(exception)) : [];
  for (const { file, written } of stale) {
    findings.push({
      file: EXCEPTIONS,
      what: `excepts the import of ${written} in ${file}, where ${workspace.files.has(file) ? 'nothing needs it' : 'no file is'}`,
      mend: 'take the entry out of the list, or mend its file and text',
    });
  }
  return findings;
}

/** What the manifests and the folders of packages say themselves. */
export function judgePackages({ packages, strays }: Workspace, layering: Layering): Finding[] {
  const findings: Finding[] = strays.map((folder) => ({
    file: `packages/${folder}`,
    what: 'holds source files and no package.json',
    mend: 'give it a manifest, or move the files into the package they belong to',
  }));
  for (const { folder, dependencies, manifest } of packages) {
    if (!isListed(layering, folder)) {
      findings.push({
        file: manifest.path,
        what: `packages/${folder} is in no row of the layers`,
        mend: `add it to ${TABLE}: to ROWS, above everything it imports, or to BESIDE if no product imports it`,
      });
      continue;
    }
    for (const { folder: to, name } of packages) {
      if (!dependencies.has(name) || !isListed(layering, to)) continue;
      const refusal = refusalOf(layering, folder, to, 'product');
      if (refusal === undefined) continue;
      const line = lineOf(manifest.text, Math.max(0, manifest.text.indexOf(JSON.stringify(name))));
      findings.push({
        file: manifest.path,
        line,
        what: `depends on ${name}: ${refusal}`,
        mend: `take it out, or move it to devDependencies for tests`,
      });
    }
  }
  return findings;
}

function faultOf(workspace: Workspace, layering: Layering, source: SourceFile, each: ImportReference): Fault | undefined {
  const { specifier, written } = each;
  if (specifier === null) {
    return {
      what: `nobody can tell what ${written} imports before it runs`,
      mend: `import a literal, or list it with the reason in ${EXCEPTIONS}`,
      exceptable: true,
    };
  }
  if (specifier.startsWith('.')) return relativeFault(workspace, source, specifier);
  if (isBuiltin(specifier)) return undefined;
  if (/^([/\\]|[a-z][a-z+.-]*:)/i.test(specifier)) {
    return {
      what: `imports ${JSON.stringify(specifier)}, a place on one machine`,
      mend: 'import a package by its name, or a file of the package relatively',
    };
  }
  const name = packageNameOf(specifier);
  const target = workspace.packages.find((candidate) => candidate.name === name);
  return (target && workspaceFault(layering, source, each, specifier, target)) ?? declarationFault(workspace, source, name, each);
}

function relativeFault({ files }: Workspace, source: SourceFile, specifier: string): Fault | undefined {
  const { path, unit, role } = source;
  const pointed = posix.join(posix.dirname(path), specifier);
  if (unit !== null && !pointed.startsWith(`packages/${unit}/`)) {
    return {
      what: `${JSON.stringify(specifier)} leaves the package, for ${pointed}`,
      mend: `import the other package by its name, and declare it in packages/${unit}/package.json`,
    };
  }
  if (unit === null && pointed.startsWith('packages/') && !readsInside(path)) {
    return {
      what: `${JSON.stringify(specifier)} reaches into a package, for ${pointed}`,
      mend: "import the package's face by its name, and declare it in package.json",
    };
  }
  const target = targetOf(path, specifier, files);
  if (target === undefined) return { what: `${JSON.stringify(specifier)} names no file: ${pointed} is not there`, mend: 'mend the path' };
  if (role === 'product' && /\.(test|fixture)\.[^./]+$/.test(target)) {
    return {
      what: `product source imports ${JSON.stringify(specifier)}, which is not published`,
      mend: `move what it needs out of ${target}, into a file of its own`,
    };
  }
  return undefined;
}

function readsInside(path: string): boolean {
  return INSIDE_READERS.some(({ folder }) => path.startsWith(`${folder}/`));
}

function workspaceFault(
  layering: Layering,
  { unit, role }: SourceFile,
  each: ImportReference,
  specifier: string,
  target: WorkspacePackage,
): Fault | undefined {
  const face = `.${specifier.slice(target.name.length)}`;
  if (!target.faces.has(face)) {
    return {
      what: `${JSON.stringify(specifier)} reaches into the inside of ${target.name}`,
      mend: `import what ${target.manifest.path} exports (${[...target.faces].join(', ')}), or export the name from its src/index.ts`,
    };
  }
  if (unit === null || !isListed(layering, unit) || !isListed(layering, target.folder)) return undefined;
  const refusal = refusalOf(layering, unit, target.folder, role);
  if (refusal !== undefined) {
    return {
      what: `imports ${target.name}, and ${refusal}`,
      mend: `put what both need into a package below both (a port or token into contracts), or take it as a parameter; the layers are in ${TABLE}`,
    };
  }
  const narrowing = role === 'product' ? narrowingBroken(layering, unit, target.folder, each) : undefined;
  if (narrowing === undefined) return undefined;
  return {
    what: `imports ${each.names.join(', ') || 'all'} from ${target.name}${each.erased ? '' : ' as values'}: ${narrowing.why}`,
    mend: `import type { ${narrowing.types.join(', ')} } is allowed; take the rest as a parameter. The rule is in ${TABLE}`,
  };
}

function declarationFault(
  { packages, rootDependencies }: Workspace,
  source: SourceFile,
  name: string,
  each: ImportReference,
): Fault | undefined {
  const { unit, role } = source;
  const own = packages.find(({ folder }) => folder === unit);
  if (own?.name === name) return undefined;
  const declares = (names: ReadonlySet<string>) => names.has(name) || (each.erased && names.has(typesOf(name)));
  if (own !== undefined && declares(own.dependencies)) return undefined;
  if (role !== 'product' && (declares(rootDependencies) || (own !== undefined && declares(own.devDependencies)))) return undefined;

  const where = own === undefined ? 'package.json' : own.manifest.path;
  const only = own?.devDependencies.has(name) ? ', where it is for development: whoever installs the package does not get it' : '';
  return {
    what: `imports ${JSON.stringify(name)}, which ${where} does not declare${role === 'product' && own ? ' as a dependency' : ''}${only}`,
    mend: role === 'product' ? `add it to the dependencies of ${where}` : `add it to the devDependencies of ${where}`,
    exceptable: true,
  };
}

function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Where DefinitelyTyped has the types of a package. */
function typesOf(name: string): string {
  return `@types/${name.replace(/^@(.*)\/(.*)$/, '$1__$2')}`;
}

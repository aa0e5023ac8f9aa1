// Which fields of a package.json its users notice, and which of them a change touches. Version, scripts and what only this workspace installs are
// none of them.

type Manifest = Readonly<Record<string, unknown>>;

/** Order matters in `exports` (the first condition that fits is taken), and nowhere else. */
const ORDERED = ['private', 'exports', 'imports', 'main', 'module', 'types', 'type', 'sideEffects'] as const;
const UNORDERED = [
  'bin',
  'files',
  'engines',
  'os',
  'cpu',
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'optionalDependencies',
  'bundleDependencies',
] as const;
const DEPENDENCIES = new Set<string>(['dependencies', 'peerDependencies', 'optionalDependencies']);

/** Versions by name, as pnpm-workspace.yaml gives them to whatever asks for `catalog:`. */
export type Catalog = ReadonlyMap<string, string>;

/** The names of the fields that differ. An absent manifest has none. */
export function touchedFields(before: Manifest | undefined, after: Manifest, catalogs: { before: Catalog; after: Catalog }): string[] {
  const touched = (field: string, sort: boolean) =>
    comparable(field, before?.[field], catalogs.before, sort) !== comparable(field, after[field], catalogs.after, sort);
  return [...ORDERED.filter((field) => touched(field, false)), ...UNORDERED.filter((field) => touched(field, true))];
}

function comparable(field: string, value: unknown, catalog: Catalog, sort: boolean): string | undefined {
  const resolved = DEPENDENCIES.has(field) && isRecord(value) ? resolvedDependencies(value, catalog) : value;
  return JSON.stringify(sort ? sorted(resolved) : resolved);
}

/** A range that the catalog gives is published as that range. */
function resolvedDependencies(dependencies: Manifest, catalog: Catalog): Manifest {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [name, range === 'catalog:' ? (catalog.get(name) ?? range) : range]),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the `catalog:` of a pnpm-workspace.yaml: a name and a range in each line. Throws for a line of it that says anything else, and for
 * named catalogs.
 */
export function catalogOf(text: string): Catalog {
  const catalog = new Map<string, string>();
  let inside = false;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/(?:^|\s)#.*$/, '').trimEnd();
    if (line === '') continue;
    if (/^\S/.test(line)) {
      if (/^catalogs:/.test(line)) throw new Error(`pnpm-workspace.yaml:${index + 1}: named catalogs are not read; use one catalog.`);
      inside = line === 'catalog:';
      if (!inside && line.startsWith('catalog:'))
        throw new Error(`pnpm-workspace.yaml:${index + 1}: begin the catalog's entries on lines of their own.`);
      continue;
    }
    if (!inside) continue;
    const entry = /^\s+(["']?)([^\s"':][^\s"']*)\1:\s+(["']?)([^\s"'].*?)\3$/.exec(line);
    if (!entry) throw new Error(`pnpm-workspace.yaml:${index + 1}: ${JSON.stringify(raw)} is no "name: range".`);
    catalog.set(entry[2]!, entry[4]!);
  }
  return catalog;
}

// The report of a package as it is checked in: one part for each entry, then what it declares about others. Nothing in it depends on documentation or on
// how a source imports a type, so a diff of it is a change of what users compile against.
import { parseSync } from 'oxc-parser';

export interface EntryDeclarations {
  readonly specifier: string;
  /** As API Extractor reported them. */
  readonly extracted: string;
  /** The emitted code of the entry: what is there when it runs. */
  readonly code: string;
}

export function renderReport(name: string, entries: readonly EntryDeclarations[], augmentations: readonly string[]): string {
  const parts = entries.map(({ specifier, extracted, code }) => {
    const declarations = declarationsOf(extracted);
    const erased = typesOnly(declarations, valueExports(specifier, code));
    return section(specifier, erased.length === 0 ? declarations : `${declarations}\n\n// Exported as types only: ${erased.join(', ')}.`);
  });
  if (augmentations.length > 0) parts.push(section('Declared for others', [...augmentations].sort().join('\n\n')));
  return `# Public declarations of ${name}

Written by \`pnpm gate api-report --write\`; do not edit. A line that changes here changes what users compile against: it needs a changeset.

${parts.join('\n')}`;
}

function section(title: string, declarations: string): string {
  return `## ${title}\n\n\`\`\`ts\n${declarations}\n\`\`\`\n`;
}

/** What tells only whether something is documented, which is most of the comments. Others, of beta or deprecated names, stay. */
const DOCUMENTATION =
  /^ *\/\/ (@public|@public \(undocumented\)|\(undocumented\)|\(No @packageDocumentation comment for this package\))\n/gm;

/** The declarations in a report of API Extractor. */
export function declarationsOf(extracted: string): string {
  const block = /^```ts\n(.*)\n```$/ms.exec(extracted)?.[1];
  if (block === undefined) throw new Error('The report of API Extractor holds no block of declarations: its format changed.');
  return `${block}\n`
    .replaceAll(DOCUMENTATION, '')
    .replaceAll(/^import type /gm, 'import ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** The names that the emitted code of an entry exports. Throws on `export *`: what it stands for is not in this file. */
export function valueExports(specifier: string, code: string): Set<string> {
  const entries = parseSync('index.js', code).module.staticExports.flatMap(({ entries }) => entries);
  if (entries.some(({ exportName }) => exportName.kind === 'None')) {
    throw new Error(`${specifier} exports everything of another module. Export by name, so that its face can be read in one place.`);
  }
  return new Set(entries.map(({ exportName }) => exportName.name ?? 'default'));
}

/** Declarations that look like values and are exported as types: whoever calls one gets an error. Sorted. */
function typesOnly(declarations: string, values: ReadonlySet<string>): string[] {
  const declared = declarations.matchAll(/^export (?:declare )?(?:abstract )?(?:class|function|const|let|var|enum|namespace) ([\w$]+)/gm);
  const passedOn = declarations.matchAll(/^export \{ (?:[\w$]+ as )?([\w$]+) \}/gm);
  return [...new Set([...declared, ...passedOn].map(([, name]) => name!))].filter((name) => !values.has(name)).sort();
}

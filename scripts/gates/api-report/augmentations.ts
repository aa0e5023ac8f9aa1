// What a package declares about others' modules and about global names (`declare module 'vitest'`, `declare global`). Whoever imports the package gets
// that as well, and API Extractor passes over it.
import { parseSync } from 'oxc-parser';

/** The augmentations in the text of a declaration file, comments out. */
export function augmentationsOf(path: string, text: string): string[] {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  return program.body.flatMap((statement) => {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    const isGlobal = node?.type === 'TSModuleDeclaration' && node.kind === 'global';
    if (node?.type !== 'TSModuleDeclaration' || !(isGlobal || node.id.type === 'Literal')) return [];
    let [out, at] = ['', node.start];
    for (const { start, end } of comments) {
      if (start < node.start || end > node.end) continue;
      out += text.slice(at, start);
      at = end;
    }
    return [(out + text.slice(at, node.end)).replaceAll(/[ \t]+$/gm, '').replaceAll(/\n{2,}/g, '\n')];
  });
}

// Whether a module exports a name as a type alone: an interface or an alias, of which nothing is left at run time.
import { type Program, parseSync } from 'oxc-parser';

export type Declared = 'type' | 'value' | 'not exported';

/** Throws for a text that is no TypeScript. */
export function declaredAs(path: string, text: string, symbol: string): Declared {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  const kinds = exportedKinds(program, symbol);
  if (kinds.includes('value')) return 'value';
  return kinds.includes('type') ? 'type' : 'not exported';
}

/** More than one where an interface shares its name with a constant. */
function exportedKinds(program: Program, symbol: string): Declared[] {
  const declared: { name: string; kind: Declared; exported: boolean }[] = [];
  const exportedNames = new Set<string>();
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration' && statement.declaration === null && statement.source === null) {
      for (const { local, exported } of statement.specifiers) {
        if (local.type === 'Identifier' && exported.type === 'Identifier' && exported.name === symbol) exportedNames.add(local.name);
      }
    }
    const exported = statement.type === 'ExportNamedDeclaration';
    const node = exported ? statement.declaration : statement;
    switch (node?.type) {
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        declared.push({ name: node.id.name, kind: 'type', exported });
        break;
      case 'ClassDeclaration':
      case 'FunctionDeclaration':
      case 'TSEnumDeclaration':
        if (node.id) declared.push({ name: node.id.name, kind: 'value', exported });
        break;
      case 'VariableDeclaration':
        for (const { id } of node.declarations) {
          if (id.type === 'Identifier') declared.push({ name: id.name, kind: 'value', exported });
        }
        break;
    }
  }
  return declared.filter(({ name, exported }) => (exported ? name === symbol : exportedNames.has(name))).map(({ kind }) => kind);
}

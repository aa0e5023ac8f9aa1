// Where a type's name is declared, across files: interfaces, aliases and classes.
import type { Class, Node, TSInterfaceDeclaration, TSTypeAliasDeclaration } from 'oxc-parser';
import { bindingOf } from './bindings.js';
import type { Exported, Modules } from './modules.js';
import type { SourceFile } from './source-file.js';

export type TypeDeclaration =
  | { readonly kind: 'declared'; readonly file: SourceFile; readonly node: TSInterfaceDeclaration | TSTypeAliasDeclaration | Class }
  /** `T extends Store`: what it extends, if anything. */
  | { readonly kind: 'parameter'; readonly file: SourceFile; readonly constraint: Node | null }
  /** A type of a module that is none of ours, or of the language. */
  | { readonly kind: 'outside'; readonly from: string; readonly name: string };

export function typeNamed(modules: Modules, file: SourceFile, name: string, at: Node): TypeDeclaration | undefined {
  // `Knex.Transaction`: a name within one that is imported.
  const [first = '', ...rest] = name.split('.');
  if (rest.length > 0) {
    const around = typeNamed(modules, file, first, at);
    return around?.kind === 'outside' ? { ...around, name } : undefined;
  }
  const parameter = typeParameter(file, name, at);
  if (parameter) return parameter;
  const local = declaredIn(file, name);
  if (local) return local;
  const binding = bindingOf(file, name, at);
  if (!binding) return { kind: 'outside', from: 'global', name };
  return binding.kind === 'import' ? ofExport(modules.imported(binding)) : undefined;
}

function ofExport(exported: Exported | undefined): TypeDeclaration | undefined {
  if (exported?.kind === 'outside') return exported;
  return exported?.kind === 'name' ? declaredIn(exported.file, exported.name) : undefined;
}

function declaredIn(file: SourceFile, name: string): TypeDeclaration | undefined {
  for (const node of file.nodes) {
    if (node.type !== 'TSInterfaceDeclaration' && node.type !== 'TSTypeAliasDeclaration' && node.type !== 'ClassDeclaration') continue;
    if (node.id?.name === name) return { kind: 'declared', file, node };
  }
  return undefined;
}

function typeParameter(file: SourceFile, name: string, at: Node): TypeDeclaration | undefined {
  for (let around: Node | undefined = at; around; around = file.parent(around)) {
    const parameters = 'typeParameters' in around ? around.typeParameters : undefined;
    for (const { name: declared, constraint } of parameters?.params ?? []) {
      if (declared.name === name) return { kind: 'parameter', file, constraint };
    }
  }
  return undefined;
}

// What a name stands for where it is written: the scopes of JavaScript, per file. Types are not looked up here.
import type { BindingPattern, Class, Node, ParamPattern, VariableDeclarator } from 'oxc-parser';
import { type FunctionNode, isFunction, type SourceFile } from './source-file.js';

/** Where in a destructured value a name lies: its keys from the outside; undefined where an array, a rest or a computed key is on the way. */
export type PatternPath = readonly string[] | undefined;

export type Binding = { readonly file: SourceFile; readonly name: string } & (
  | { readonly kind: 'variable'; readonly declarator: VariableDeclarator; readonly constant: boolean; readonly leaf: Leaf }
  | { readonly kind: 'parameter'; readonly of: FunctionNode; readonly index: number; readonly leaf: Leaf }
  | { readonly kind: 'function'; readonly node: FunctionNode }
  | { readonly kind: 'class'; readonly node: Class }
  | { readonly kind: 'import'; readonly from: string; readonly imported: string }
  | { readonly kind: 'other'; readonly node: Node }
);

export interface Leaf {
  readonly path: PatternPath;
  /** What stands in where the value is undefined. */
  readonly fallback: Node | undefined;
}

/** The whole of a module, for `import * as x`; no exported name can be it. */
export const WHOLE_MODULE = '*';

type Scopes = ReadonlyMap<Node, ReadonlyMap<string, Binding>>;
const scopesOfFile = new WeakMap<SourceFile, Scopes>();

/** What `name`, written at `at`, stands for; undefined for a global. */
export function bindingOf(file: SourceFile, name: string, at: Node): Binding | undefined {
  let scopes = scopesOfFile.get(file);
  if (!scopes) {
    scopes = readScopes(file);
    scopesOfFile.set(file, scopes);
  }
  for (let node: Node | undefined = at; node; node = file.parent(node)) {
    const binding = scopes.get(node)?.get(name);
    if (binding) return binding;
  }
  return undefined;
}

/** Every place that reads or writes the binding, its declaration left out. */
export function referencesTo(binding: Binding): Node[] {
  return binding.file.nodes.filter(
    (node) =>
      node.type === 'Identifier' &&
      node.name === binding.name &&
      isReference(binding.file, node) &&
      bindingOf(binding.file, node.name, node) === binding,
  );
}

function isReference(file: SourceFile, node: Node): boolean {
  const parent = file.parent(node);
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.computed || parent.object === node;
    case 'Property':
      // A shorthand is key and value at once: the value is the reference. In a pattern it declares.
      return parent.value === node ? file.parent(parent)?.type === 'ObjectExpression' : parent.computed && parent.key === node;
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.computed || parent.value === node;
    case 'VariableDeclarator':
      return parent.init === node;
    case 'AssignmentPattern':
      return parent.right === node;
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'ArrayPattern':
    case 'RestElement':
    case 'CatchClause':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'TSTypeReference':
    case 'TSQualifiedName':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
    case 'TSParameterProperty':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSTypeParameter':
      return false;
    case 'ArrowFunctionExpression':
      return parent.body === node;
    default:
      return parent !== undefined;
  }
}

function readScopes(file: SourceFile): Scopes {
  const scopes = new Map<Node, Map<string, Binding>>();
  const declare = (scope: Node, binding: Binding) => {
    const names = scopes.get(scope) ?? new Map<string, Binding>();
    scopes.set(scope, names);
    names.set(binding.name, binding);
  };
  for (const { moduleRequest, entries } of file.module.staticImports) {
    for (const { importName, localName } of entries) {
      const imported = importName.kind === 'Name' ? (importName.name ?? '') : importName.kind === 'Default' ? 'default' : WHOLE_MODULE;
      declare(file.program, { kind: 'import', file, name: localName.value, from: moduleRequest.value, imported });
    }
  }
  for (const node of file.nodes) {
    if (node.type === 'VariableDeclaration') {
      const scope = node.kind === 'var' ? functionScope(file, node) : blockScope(file, node);
      for (const declarator of node.declarations) {
        for (const { name, ...leaf } of leavesOf(declarator.id, [])) {
          declare(scope, { kind: 'variable', file, name, declarator, constant: node.kind === 'const', leaf });
        }
      }
    } else if (isFunction(node)) {
      if (node.id) {
        const scope = node.type === 'FunctionDeclaration' ? blockScope(file, node) : node;
        declare(scope, { kind: 'function', file, name: node.id.name, node });
      }
      for (const [index, param] of node.params.entries()) {
        for (const { name, ...leaf } of leavesOf(param, [])) declare(node, { kind: 'parameter', file, name, of: node, index, leaf });
      }
    } else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      const scope = node.type === 'ClassDeclaration' ? blockScope(file, node) : node;
      if (node.id) declare(scope, { kind: 'class', file, name: node.id.name, node });
    } else if (node.type === 'CatchClause' && node.param) {
      for (const { name } of leavesOf(node.param, [])) declare(node, { kind: 'other', file, name, node });
    } else if (node.type === 'TSEnumDeclaration') {
      declare(blockScope(file, node), { kind: 'other', file, name: node.id.name, node });
    }
  }
  return scopes;
}

function leavesOf(pattern: BindingPattern | ParamPattern, path: PatternPath, fallback?: Node): ({ name: string } & Leaf)[] {
  switch (pattern.type) {
    case 'TSParameterProperty':
      return leavesOf(pattern.parameter, path);
    case 'RestElement':
      return leavesOf(pattern.argument, undefined);
    case 'Identifier':
      return [{ name: pattern.name, path, fallback }];
    case 'AssignmentPattern':
      return leavesOf(pattern.left, path, pattern.right);
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => {
        if (property.type === 'RestElement') return leavesOf(property, undefined);
        const key = property.computed ? undefined : keyName(property.key);
        return leavesOf(property.value, path && key !== undefined ? [...path, key] : undefined);
      });
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : leavesOf(element, undefined)));
  }
}

/** The name of a key that is written out; private names with their `#`. */
export function keyName(key: Node): string | undefined {
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  if (key.type === 'Literal' && (typeof key.value === 'string' || typeof key.value === 'number')) return String(key.value);
  return undefined;
}

const BLOCKS = new Set([
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'StaticBlock',
  'TSModuleBlock',
]);

function blockScope(file: SourceFile, node: Node): Node {
  let scope = file.parent(node) ?? file.program;
  while (!BLOCKS.has(scope.type) && scope.type !== 'Program') scope = file.parent(scope) ?? file.program;
  return scope;
}

function functionScope(file: SourceFile, node: Node): Node {
  let scope = file.parent(node) ?? file.program;
  while (!isFunction(scope) && scope.type !== 'StaticBlock' && scope.type !== 'Program') scope = file.parent(scope) ?? file.program;
  return scope;
}

// What a module exports, and the members that a page may name: of classes, interfaces, types and constant objects, and the strings of unions.
import type { ClassElement, Node, Statement } from 'oxc-parser';
import { lineOf } from '../framework/finding.js';
import type { Declaration } from './declaration.js';
import { documentation, fingerprint, keyOf, type Source, stringOf, walk } from './syntax.js';

export function exportedDeclarations(source: Source): Declaration[] {
  const found: Declaration[] = [];
  const exportedLater = namesExportedLater(source.program.body);
  const add = (node: Node, name: string | undefined, kind: string, print: string, owner?: string) => {
    if (name === undefined) return;
    const text = `${print}${documentation(source, node.start)}`;
    found.push({ name, kind, path: source.path, line: lineOf(source.text, node.start), print: text, ...(owner ? { owner } : {}) });
  };
  for (const statement of source.program.body) {
    const isExported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const node = isExported ? statement.declaration : statement;
    if (node === null) continue;
    const at = isExported ? statement : node;
    const wanted = (name: string | undefined) => name !== undefined && (isExported || exportedLater.has(name));
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'TSDeclareFunction':
        if (wanted(node.id?.name)) add(at, node.id?.name, 'a function', fingerprint(node));
        break;
      case 'ClassDeclaration': {
        const owner = node.id?.name;
        if (!wanted(owner)) break;
        const members = node.body.body.filter(isPublicMember);
        const hidden = node.body.body.filter((member) => !isPublicMember(member));
        add(at, owner, 'a class', fingerprint({ ...node, body: hidden }, namesOf(members)));
        for (const member of members) {
          const act = member.type === 'MethodDefinition' && member.kind === 'method' ? 'a method' : 'a field';
          add(member, keyOf(member), `${act} of class ${owner}`, fingerprint(member), owner);
        }
        break;
      }
      case 'TSInterfaceDeclaration':
        if (!wanted(node.id.name)) break;
        add(at, node.id.name, 'an interface', fingerprint({ ...node, body: null }, namesOf(node.body.body)));
        addMembers(node.body.body, `interface ${node.id.name}`, node.id.name);
        addStrings(node, node.id.name);
        break;
      case 'TSTypeAliasDeclaration':
        if (!wanted(node.id.name)) break;
        add(at, node.id.name, 'a type', fingerprint(node));
        for (const literal of literalTypes(node.typeAnnotation)) addMembers(literal, `type ${node.id.name}`, node.id.name);
        addStrings(node, node.id.name);
        break;
      case 'VariableDeclaration':
        for (const declarator of node.declarations) {
          if (declarator.id.type !== 'Identifier' || !wanted(declarator.id.name)) continue;
          const { name } = declarator.id;
          const value = bare(declarator.init);
          const isFunction = value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression';
          const keys = value?.type === 'ObjectExpression' ? value.properties.filter((each) => each.type === 'Property') : [];
          const print = value?.type === 'ObjectExpression' ? fingerprint(namesOf(keys)) : fingerprint(declarator);
          add(at, name, isFunction ? 'a function' : 'a constant', print);
          const kind = name === 'ERROR_CODES' ? 'an error code' : `a key of ${name}`;
          for (const key of keys) add(key, keyOf(key), kind, fingerprint(key), name);
          if (value?.type === 'ArrayExpression')
            for (const each of value.elements) if (each) add(each, stringOf(each), `a value of ${name}`, '');
        }
        break;
    }
  }
  return found;

  function addMembers(members: readonly Node[], of: string, owner: string): void {
    for (const member of members) {
      if (member.type === 'TSPropertySignature') add(member, keyOf(member), `a field of ${of}`, fingerprint(member), owner);
      if (member.type === 'TSMethodSignature') add(member, keyOf(member), `a method of ${of}`, fingerprint(member), owner);
    }
  }

  /** A string of a union is there or not; what it means is told by the union. */
  function addStrings(node: Node, of: string): void {
    walk(node, (each, around) => {
      if (each.type !== 'TSLiteralType' || around.at(-1)?.type !== 'TSUnionType') return;
      const literal = stringOf(each.literal);
      const member = around.findLast((outer) => outer.type === 'TSPropertySignature');
      const field = member && keyOf(member);
      if (literal === undefined || !/[A-Za-z]/.test(literal)) return;
      add(each, literal, `a value of ${field === undefined ? of : `${of}.${field}`}`, '');
    });
  }
}

/** `export { a, type B }` below the declarations. */
function namesExportedLater(statements: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  for (const statement of statements) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source !== null) continue;
    for (const { local } of statement.specifiers) if (local.type === 'Identifier') names.add(local.name);
  }
  return names;
}

type Member = Extract<ClassElement, { readonly key: Node; readonly computed: boolean }>;

function isPublicMember(member: ClassElement): member is Member {
  if (!('key' in member) || !('computed' in member)) return false;
  if ('accessibility' in member && member.accessibility === 'private') return false;
  const name = keyOf(member);
  return name !== undefined && name !== 'constructor';
}

function namesOf(members: readonly Node[]): string[] {
  return members.flatMap((member) => ('key' in member && 'computed' in member ? (keyOf(member) ?? []) : [])).sort();
}

/** The object types that an alias is made of: alone, or in a union or intersection. */
function literalTypes(type: Node): (readonly Node[])[] {
  if (type.type === 'TSTypeLiteral') return [type.members];
  if (type.type === 'TSUnionType' || type.type === 'TSIntersectionType') return type.types.flatMap(literalTypes);
  return [];
}

/** Without `as const` and `satisfies`. */
function bare(node: Node | null): Node | null {
  if (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression') return bare(node.expression);
  return node;
}

// The type of a member, by the interface, class or object that declares it.
import type { Class, Node, TSSignature, TSTypeName } from 'oxc-parser';
import { keyName } from './bindings.js';
import type { SourceFile } from './source-file.js';
import { typeNamed } from './type-declarations.js';
import type { Types, Written } from './types.js';

/** Types that have the members of what they are given. */
export const TRANSPARENT: ReadonlySet<string> = new Set([
  'Pick',
  'Omit',
  'Partial',
  'Required',
  'Readonly',
  'NonNullable',
  'Awaited',
  'Promise',
]);

export function memberOf(types: Types, { file, node }: NonNullable<Written>, key: string): Written {
  switch (node.type) {
    case 'TSTypeReference': {
      const name = typeName(node.typeName);
      const argument = node.typeArguments?.params[0];
      if (TRANSPARENT.has(name)) return argument && types.member({ file, node: argument }, key);
      const declared = typeNamed(types.modules, file, name, node);
      return declared?.kind === 'declared' ? types.member({ file: declared.file, node: declared.node }, key) : undefined;
    }
    case 'TSInterfaceDeclaration':
      return signature(file, node.body.body, key) ?? first(node.extends.map(({ expression }) => heir(types, file, expression, key)));
    case 'TSTypeLiteral':
      return signature(file, node.members, key);
    case 'TSTypeAliasDeclaration':
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return types.member({ file, node: node.typeAnnotation }, key);
    case 'TSUnionType':
    case 'TSIntersectionType':
      return first(node.types.map((each) => types.member({ file, node: each }, key)));
    case 'ClassDeclaration':
    case 'ClassExpression':
      return classMember(types, file, node, key) ?? (node.superClass ? heir(types, file, node.superClass, key) : undefined);
    case 'ObjectExpression': {
      const property = node.properties.find((each) => each.type === 'Property' && !each.computed && keyName(each.key) === key);
      return property?.type === 'Property' ? types.of(file, property.value) : undefined;
    }
    default:
      return undefined;
  }
}

export function typeName(name: TSTypeName): string {
  if (name.type === 'Identifier') return name.name;
  return name.type === 'TSQualifiedName' ? `${typeName(name.left)}.${name.right.name}` : 'this';
}

/** A member that is declared by what the type extends. */
function heir(types: Types, file: SourceFile, name: Node, key: string): Written {
  return name.type === 'Identifier' ? types.member(types.classNamed(file, name.name, name), key) : undefined;
}

function signature(file: SourceFile, members: readonly TSSignature[], key: string): Written {
  for (const member of members) {
    if (member.type === 'TSPropertySignature' && !member.computed && keyName(member.key) === key) return annotated(file, member);
    if (member.type === 'TSMethodSignature' && !member.computed && keyName(member.key) === key) return { file, node: member };
  }
  return undefined;
}

function classMember(types: Types, file: SourceFile, owner: Class, key: string): Written {
  for (const member of owner.body.body) {
    if (member.type === 'PropertyDefinition' && !member.computed && keyName(member.key) === key) {
      return annotated(file, member) ?? (member.value ? types.of(file, member.value) : undefined);
    }
    if (member.type !== 'MethodDefinition' || member.computed) continue;
    if (member.kind === 'constructor') {
      const param = member.value.params.find((each) => each.type === 'TSParameterProperty' && nameOf(each.parameter) === key);
      if (param?.type === 'TSParameterProperty') return annotated(file, param.parameter);
    }
    if (keyName(member.key) !== key) continue;
    const { returnType } = member.value;
    if (member.kind !== 'get') return { file, node: member.value };
    return returnType ? { file, node: returnType.typeAnnotation } : undefined;
  }
  return undefined;
}

function annotated(file: SourceFile, { typeAnnotation }: { typeAnnotation?: { typeAnnotation: Node } | null }): Written {
  return typeAnnotation ? { file, node: typeAnnotation.typeAnnotation } : undefined;
}

function nameOf(node: Node): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined;
}

function first(types: readonly Written[]): Written {
  return types.find((type) => type !== undefined);
}

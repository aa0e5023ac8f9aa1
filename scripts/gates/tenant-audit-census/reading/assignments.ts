// What a variable is besides its first value: every place that assigns it, and whether it may be read before one did.
import type { ForOfStatement, Node, VariableDeclarator } from 'oxc-parser';
import { type Binding, bindingOf } from './bindings.js';
import { descendants, type SourceFile } from './source-file.js';

export interface Assignment {
  readonly operator: string;
  /** The assigned expression; undefined where the variable gets a part of one, or is counted up. */
  readonly value: Node | undefined;
}

export function assignmentsTo(binding: Binding): Assignment[] {
  const { file, name } = binding;
  const isIt = (node: Node) => node.type === 'Identifier' && node.name === name && bindingOf(file, name, node) === binding;
  return file.nodes.flatMap((node): Assignment[] => {
    if (node.type === 'UpdateExpression' && isIt(node.argument)) return [{ operator: node.operator, value: undefined }];
    if (node.type !== 'AssignmentExpression') return [];
    if (isIt(node.left)) return [{ operator: node.operator, value: node.right }];
    const inParts = node.left.type === 'ObjectPattern' || node.left.type === 'ArrayPattern';
    return inParts && descendants(node.left).some(isIt) ? [{ operator: '=', value: undefined }] : [];
  });
}

/** The compiler lets nobody read a variable before its first assignment, unless its type has room for `undefined`. */
export function mayStayUndefined(file: SourceFile, { id }: VariableDeclarator): boolean {
  const type = id.typeAnnotation;
  return !type || /\bundefined\b/.test(file.text.slice(type.start, type.end));
}

/** The `for … of` that gives the variable one element after the other. */
export function loopOf(file: SourceFile, declarator: VariableDeclarator): ForOfStatement | undefined {
  const declaration = file.parent(declarator);
  const loop = declaration && file.parent(declaration);
  return loop?.type === 'ForOfStatement' && loop.left === declaration ? loop : undefined;
}

// What is around a node: the class or object that `this` is, and the name of the place, by which a person finds it again after it moved.
import type { Class, Node, ObjectExpression } from 'oxc-parser';
import { keyName } from './bindings.js';
import { isFunction, type SourceFile } from './source-file.js';

/** The class whose instance `this` is, or the object whose method the node is in; undefined where `this` is the caller's choice. */
export function ownerOfThis(file: SourceFile, node: Node): Class | ObjectExpression | undefined {
  let inside = node;
  for (let around = file.parent(node); around; inside = around, around = file.parent(around)) {
    if (around.type === 'FunctionDeclaration') return undefined;
    if (around.type === 'FunctionExpression') {
      const holder = file.parent(around);
      if (holder?.type === 'MethodDefinition') return classAround(file, holder);
      const object = holder && file.parent(holder);
      return holder?.type === 'Property' && object?.type === 'ObjectExpression' ? object : undefined;
    }
    if ((around.type === 'PropertyDefinition' && around.value === inside) || around.type === 'StaticBlock')
      return classAround(file, around);
  }
  return undefined;
}

/** The class that a node is written in. */
export function classAround(file: SourceFile, node: Node): Class | undefined {
  for (let around = file.parent(node); around; around = file.parent(around)) {
    if (around.type === 'ClassDeclaration' || around.type === 'ClassExpression') return around;
  }
  return undefined;
}

/** `SqlEventStore.markFannedOut`, `checkWrite`; empty at the top of a file. */
export function placeOf(file: SourceFile, node: Node): string {
  const names: string[] = [];
  for (let around: Node | undefined = file.parent(node); around; around = file.parent(around)) {
    const name = nameOf(file, around);
    if (name !== undefined) names.unshift(name);
  }
  return names.join('.');
}

function nameOf(file: SourceFile, node: Node): string | undefined {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression' || node.type === 'FunctionDeclaration') return node.id?.name;
  if (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') return keyName(node.key);
  const parent = file.parent(node);
  if (!isFunction(node) || parent?.type !== 'VariableDeclarator') return undefined;
  return parent.id.type === 'Identifier' ? parent.id.name : undefined;
}

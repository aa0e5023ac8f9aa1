// A cache of values by key: `known.get(key)`, in a function that fills `known`, gives whatever the function puts there.
import type { CallExpression, Node } from 'oxc-parser';
import { keyName } from './bindings.js';
import { descendants, isFunction, type SourceFile } from './source-file.js';

/** The expressions that a function stores in the map it reads here; undefined where this is no such call. */
export function storedInCache(file: SourceFile, call: CallExpression): Node[] | undefined {
  const map = receiverOf(call, 'get');
  if (!map) return undefined;
  let around: Node | undefined = call;
  while (around && !isFunction(around)) around = file.parent(around);
  if (!around) return undefined;
  const stored = descendants(around).flatMap((node) => {
    if (node.type !== 'CallExpression') return [];
    const into = receiverOf(node, 'set');
    const value = node.arguments[1];
    return into && value && textOf(file, into) === textOf(file, map) ? [value] : [];
  });
  return stored.length > 0 ? stored : undefined;
}

function receiverOf({ callee }: CallExpression, method: string): Node | undefined {
  return callee.type === 'MemberExpression' && !callee.computed && keyName(callee.property) === method ? callee.object : undefined;
}

function textOf(file: SourceFile, { start, end }: Node): string {
  return file.text.slice(start, end);
}

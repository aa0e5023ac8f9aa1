// Decides a comparison with a literal where what is compared is one, too: `scopeOf(null)` takes one branch of `organizationId === null`.
import type { Node } from 'oxc-parser';
import type { Closure } from './closure.js';
import type { Value } from './value.js';
import type { Values } from './values.js';

/** True or false where it always is; undefined where it depends. */
export function decide(values: Values, { file, node, env }: Closure): boolean | undefined {
  if (node.type !== 'BinaryExpression' || !/^[=!]==?$/.test(node.operator)) return undefined;
  if (!isLiteral(node.left) && !isLiteral(node.right)) return undefined;
  const sides = [node.left, node.right].map((side) => values.of({ file, node: side, env }));
  const [left, right] = sides.map((side) => (side.length === 1 ? literalOf(side[0]!) : undefined));
  if (!left || !right) return undefined;
  const loose = node.operator.length === 2;
  const equal = left.value === right.value || (loose && left.value == null && right.value == null);
  return node.operator.startsWith('!') ? !equal : equal;
}

function isLiteral(node: Node): boolean {
  return node.type === 'Literal' || (node.type === 'Identifier' && node.name === 'undefined');
}

function literalOf(value: Value): { value: unknown } | undefined {
  if (value.kind === 'undefined') return { value: undefined };
  return value.kind === 'written' && value.node.type === 'Literal' ? { value: value.node.value } : undefined;
}

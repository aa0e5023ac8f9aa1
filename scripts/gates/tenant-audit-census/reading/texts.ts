// The texts that an expression can come to: literals, templates and sums of them, wherever they are written.
import type { Closure } from './closure.js';
import { type Unread, unreadable } from './value.js';
import type { Values } from './values.js';

export interface Texts {
  readonly texts: readonly string[];
  /** What among it is not written out. */
  readonly unread: readonly Unread[];
}

export function textsOf(values: Values, closure: Closure): Texts {
  const texts = new Set<string>();
  const unread: Unread[] = [];
  for (const value of values.of(closure)) {
    const read = value.kind === 'written' ? written(values, value) : undefined;
    for (const text of read?.texts ?? []) texts.add(text);
    if (read) unread.push(...read.unread);
    else unread.push(value.kind === 'unreadable' ? value : unreadable(closure, 'it is no text that is written out'));
  }
  return { texts: [...texts], unread };
}

function written(values: Values, { file, node, env }: Closure): Texts | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? { texts: [node.value], unread: [] } : undefined;
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    return joined([textsOf(values, { file, node: node.left, env }), textsOf(values, { file, node: node.right, env })]);
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  const parts: Texts[] = [];
  for (const [at, quasi] of node.quasis.entries()) {
    parts.push({ texts: [quasi.value.cooked ?? ''], unread: [] });
    const expression = node.expressions[at];
    if (expression) parts.push(textsOf(values, { file, node: expression, env }));
  }
  return joined(parts);
}

function joined(parts: readonly Texts[]): Texts {
  return {
    texts: parts.reduce<string[]>((before, { texts }) => before.flatMap((start) => texts.map((text) => start + text)), ['']),
    unread: parts.flatMap(({ unread }) => unread),
  };
}

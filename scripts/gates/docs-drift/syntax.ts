// A parsed source: its tree, what of a text counts when two of them are compared, and the documentation above a declaration.
import { type Comment, type Node, type Program, parseSync, visitorKeys } from 'oxc-parser';
import { lineOf } from '../framework/finding.js';

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** Throws for a text that is no TypeScript or JavaScript. */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [first] = errors;
  if (first) throw new Error(`${path}:${lineOf(text, first.labels[0]?.start ?? 0)} cannot be parsed: ${first.message}`);
  return { path, text, program, comments };
}

const POSITION = new Set(['start', 'end', 'range', 'raw', 'parent']);

/** Equal for code that differs only in layout, quotes and comments. */
export function fingerprint(...nodes: readonly unknown[]): string {
  return JSON.stringify(nodes, (key, value) => {
    if (POSITION.has(key)) return undefined;
    return typeof value === 'bigint' ? String(value) : value;
  });
}

/** The documentation right above a node, in one line: it is what a page is written from. Empty where there is none. */
export function documentation({ text, comments }: Source, start: number): string {
  for (let at = comments.length - 1; at >= 0; at -= 1) {
    const comment = comments[at]!;
    if (comment.end > start) continue;
    if (comment.type !== 'Block' || !comment.value.startsWith('*') || text.slice(comment.end, start).trim() !== '') return '';
    return comment.value
      .replaceAll(/^\s*\*+/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  }
  return '';
}

/** Every node below, the node itself first, each with those around it, the nearest last. */
export function walk(node: Node, visit: (node: Node, around: readonly Node[]) => void, around: Node[] = []): void {
  visit(node, around);
  around.push(node);
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key];
    if (Array.isArray(child)) for (const each of child) each && walk(each, visit, around);
    else if (child) walk(child, visit, around);
  }
  around.pop();
}

/** A string without a placeholder; undefined for anything else. */
export function stringOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** The name of a member, where it can be read: `a`, `'a'`. Undefined for `#a` and `[a]`. */
export function keyOf({ key, computed }: { readonly key: Node; readonly computed: boolean }): string | undefined {
  if (!computed && key.type === 'Identifier') return key.name;
  return stringOf(key);
}

/** The name of the method that a call calls: `command` of `program.command('start')`. */
export function calledMethod(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || node.callee.computed) return undefined;
  return node.callee.property.type === 'Identifier' ? node.callee.property.name : undefined;
}

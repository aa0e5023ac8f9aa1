// One parsed source: its tree, the parent of each node, its imports and exports. A file that does not parse throws; nothing of it is counted.
import {
  type ArrowFunctionExpression,
  type Node,
  type ParseResult,
  type Program,
  parseSync,
  visitorKeys,
  type Function as WrittenFunction,
} from 'oxc-parser';
import { lineOf } from '../../framework/finding.js';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly module: ParseResult['module'];
  /** Every node, outer ones first, in the order of the text. */
  readonly nodes: readonly Node[];
  parent(node: Node): Node | undefined;
  line(node: Node): number;
}

/** A file whose text is no TypeScript. */
export class ParseError extends Error {
  constructor(
    readonly path: string,
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/** @throws ParseError */
export function parseSource(path: string, text: string): SourceFile {
  const result = parseSync(path, text);
  const fault = result.errors.find(({ severity }) => severity === 'Error');
  if (fault) throw new ParseError(path, lineOf(text, fault.labels[0]?.start ?? 0), fault.message);
  const nodes: Node[] = [];
  const parents = new Map<Node, Node>();
  const visit = (node: Node, parent: Node | undefined) => {
    nodes.push(node);
    if (parent) parents.set(node, parent);
    for (const child of childrenOf(node)) visit(child, node);
  };
  visit(result.program, undefined);
  return {
    path,
    text,
    program: result.program,
    module: result.module,
    nodes,
    parent: (node) => parents.get(node),
    line: ({ start }) => lineOf(text, start),
  };
}

/** The nodes below one, itself first; without those of functions inside it, unless asked. */
export function descendants(node: Node, { intoFunctions = true }: { intoFunctions?: boolean } = {}): Node[] {
  const found: Node[] = [];
  const visit = (each: Node) => {
    found.push(each);
    if (each !== node && !intoFunctions && isFunction(each)) return;
    for (const child of childrenOf(each)) visit(child);
  };
  visit(node);
  return found;
}

export type FunctionNode = WrittenFunction | ArrowFunctionExpression;

export function isFunction(node: Node): node is FunctionNode {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const value = (node as unknown as Record<string, Node | readonly (Node | null)[] | null>)[key];
    if (Array.isArray(value)) children.push(...value.filter((each) => each !== null));
    else if (value) children.push(value as Node);
  }
  return children;
}

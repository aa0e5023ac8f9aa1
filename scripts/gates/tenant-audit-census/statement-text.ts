// What the SQL of a statement says it writes, held against what the statement declares: the audit goes by the declaration alone.
import type { Node } from 'oxc-parser';
import type { Finding } from '../framework/finding.js';
import type { Closure } from './reading/closure.js';
import { descendants, type SourceFile } from './reading/source-file.js';
import type { Values } from './reading/values.js';
import { readDefinition } from './statements.js';

export interface Verb {
  readonly operation: 'insert' | 'update' | 'delete';
  /** Undefined where the table is put into the text from elsewhere. */
  readonly table: string | undefined;
}

/** What stands in a text for what is put into it. */
const HOLE = '\u0000';

const NAME = `["'\`[]?([\\w.${HOLE}]+)`;
const VERBS = new RegExp(
  [
    `\\b(INSERT|REPLACE|MERGE)(?:\\s+OR\\s+\\w+)?\\s+INTO\\s+${NAME}`,
    // With its SET: FOR UPDATE and ON CONFLICT DO UPDATE SET name no table.
    `\\b(UPDATE)(?:\\s+OR\\s+\\w+)?(?:\\s+ONLY)?\\s+(?!SET\\b)${NAME}["'\`\\]]?(?:\\s+AS)?(?:\\s+(?!SET\\b)\\w+)?\\s+SET\\b`,
    `\\b(DELETE)\\s+FROM(?:\\s+ONLY)?\\s+${NAME}`,
    `\\b(TRUNCATE)\\s+TABLE\\s+${NAME}`,
  ].join('|'),
  'gi',
);
const OPERATIONS: Readonly<Record<string, Verb['operation']>> = { update: 'update', delete: 'delete', truncate: 'delete' };

/** The writes in a text of SQL. */
export function verbsIn(text: string): Verb[] {
  return [...text.matchAll(VERBS)].map((match) => {
    const [verb = '', table = ''] = match.slice(1).filter((group) => group !== undefined);
    return { operation: OPERATIONS[verb.toLowerCase()] ?? 'insert', table: table.includes(HOLE) ? undefined : table.toLowerCase() };
  });
}

/** The text of a literal or a template, with holes; undefined for any other node. */
export function textOfNode(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked ?? '').join(HOLE) : undefined;
}

export interface StatementText {
  /** The literals and templates it is made of. */
  readonly nodes: readonly Node[];
  /** Part of it is given by a caller who does not show here. */
  readonly opaque: boolean;
}

export function textOfDefinition(values: Values, definition: Closure): StatementText {
  const argument = definition.node.type === 'CallExpression' ? definition.node.arguments[0] : undefined;
  const nodes = new Set<Node>();
  let opaque = false;
  const collect = (closure: Closure, fallback: Node) => {
    for (const value of values.of(closure)) {
      if (value.kind === 'undefined') continue;
      const { node, file, env } = value;
      if (value.kind === 'written' && node.type === 'ObjectExpression') {
        for (const property of node.properties) {
          if (property.type === 'Property') collect({ file, node: property.value, env }, property.value);
        }
      } else if (value.kind === 'written' && node.type === 'BinaryExpression') {
        collect({ file, node: node.left, env }, node.left);
        collect({ file, node: node.right, env }, node.right);
      } else if (value.kind === 'written' && textOfNode(node) !== undefined) {
        nodes.add(node);
        if (node.type === 'TemplateLiteral') for (const hole of node.expressions) fill({ file, node: hole, env });
      } else {
        // Given by what is not followed, `bothFamilies` of somewhere else: the texts that are written into it are its.
        const written = descendants(fallback).filter((each) => textOfNode(each) !== undefined);
        for (const each of written) nodes.add(each);
        opaque ||= written.length === 0;
      }
    }
  };
  /** A part of a text: what is written out of it belongs to the statement, the rest is names and numbers. */
  const fill = (hole: Closure) => {
    for (const value of values.of(hole)) if (value.kind === 'written' && textOfNode(value.node) !== undefined) nodes.add(value.node);
  };
  if (argument?.type === 'ObjectExpression') {
    for (const property of argument.properties) {
      if (property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'sql') {
        collect({ ...definition, node: property.value }, property.value);
      }
    }
  }
  return { nodes: [...nodes], opaque: opaque || nodes.size === 0 };
}

/** Findings where the text writes what the statement does not declare. */
export function judgeText(values: Values, definition: Closure & { readonly file: SourceFile }, { nodes }: StatementText): Finding[] {
  const verbs = nodes.flatMap((node) => verbsIn(textOfNode(node) ?? ''));
  const { file, node } = definition;
  return readDefinition(values, definition).statements.flatMap(({ label, operation, table }) => {
    const others = verbs.filter((verb) => verb.operation !== operation || (verb.table !== undefined && verb.table !== table.toLowerCase()));
    return [...new Set(others.map((verb) => `${verb.operation} of ${verb.table ?? 'some table'}`))].map((does) => ({
      file: file.path,
      line: file.line(node),
      what: `${label} declares the ${operation} of ${table}, and its text is an ${does}: the audit goes by what is declared`,
      mend: 'Declare the operation and the table that the text writes; a statement that writes two tables is two statements.',
    }));
  });
}

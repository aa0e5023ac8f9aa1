// Tables, their columns and indexes, as migrations make them and statements name them.
import type { CallExpression, Node } from 'oxc-parser';
import type { Named } from './outer-names.js';
import { calledMethod, fingerprint, stringOf, walk } from './syntax.js';

const TABLE = new Set(['createTable', 'createTableIfNotExists', 'alterTable', 'table', 'dropTable', 'dropTableIfExists']);

/** As knex is told of them. */
export function tableNames(node: Node): Named[] {
  if (node.type !== 'CallExpression' || !TABLE.has(calledMethod(node) ?? '')) return [];
  const name = stringOf(node.arguments[0]);
  return name === undefined ? [] : [{ at: node, name, kind: 'a table', print: fingerprint(node.arguments) }, ...columns(node, name)];
}

/** `table.string('topic', 255).notNullable()` in the function that a table is made with. */
function columns(call: CallExpression, owner: string): Named[] {
  const make = call.arguments[1];
  if (make?.type !== 'ArrowFunctionExpression' && make?.type !== 'FunctionExpression') return [];
  const [table] = make.params;
  if (table?.type !== 'Identifier') return [];
  const found: Named[] = [];
  walk(make, (node, around) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
    const [at] = node.arguments;
    const name = stringOf(at);
    const isOfTable = node.callee.object.type === 'Identifier' && node.callee.object.name === table.name;
    if (!isOfTable || !at || name === undefined) return;
    const statement = around.findLast((outer) => outer.type === 'ExpressionStatement') ?? node;
    found.push({ at, name, kind: `a column of table ${owner}`, print: fingerprint(statement), owner });
  });
  return found;
}

/** SQL in capitals, as the house writes it; a lower-case "from" is a word. A function that gives rows is no table. */
export function sqlNames(node: Node, around: readonly Node[]): Named[] {
  const text = node.type === 'TemplateElement' ? node.value.cooked : node.type === 'Literal' ? node.value : undefined;
  if (typeof text !== 'string') return [];
  const kinds = new Map<string, string>();
  for (const [, name] of text.matchAll(/\b(?:INTO|UPDATE|TABLE(?: IF (?:NOT )?EXISTS)?)\s+"?([a-z][a-z0-9_]*)\b/g))
    kinds.set(name!, 'a table');
  for (const [, name] of text.matchAll(/\b(?:FROM|JOIN)\s+"?([a-z][a-z0-9_]*)\b(?!\s*\()/g)) kinds.set(name!, 'a table');
  for (const [, name, table] of text.matchAll(/\bINDEX\s+(?:IF NOT EXISTS\s+)?"?([a-z][a-z0-9_]*)"?\s+ON\s+"?([a-z][a-z0-9_]*)/g)) {
    kinds.set(name!, 'an index');
    kinds.set(table!, 'a table');
  }
  // A statement with placeholders is one piece, whichever part of it names the table.
  const statement = node.type === 'TemplateElement' ? (around.at(-1) ?? node) : node;
  return [...kinds].map(([name, kind]) => ({ at: node, name, kind, print: fingerprint(statement) }));
}

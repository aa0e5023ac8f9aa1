// Ways by which a write can reach the database without the store's `write` and `batch`, so that no audit sees it. Each place is counted, and
// stays red until `past-the-api.json` says why it may be there.
import type { Node } from 'oxc-parser';
import { bindingOf, keyName } from './reading/bindings.js';
import type { Closure } from './reading/closure.js';
import { isFunction, type SourceFile } from './reading/source-file.js';
import type { Types } from './reading/types.js';
import type { Values } from './reading/values.js';
import { type StatementText, textOfNode, verbsIn } from './statement-text.js';
import { readDefinition } from './statements.js';

/** The ways, and what each is. */
export const WAYS = {
  driver: 'calls a driver, below the API and its audit',
  knex: 'takes the query builder of a store',
  transaction: 'uses a transaction as a query builder',
  import: 'opens connections of its own',
  'sql text': 'SQL that writes, in no statement',
  'opaque text': 'a statement whose text a caller gives',
  'not run': 'a write statement that no call of the API runs',
  migration: 'DDL, run by the migration runner',
} as const;

export type Way = keyof typeof WAYS;

export interface PastPlace {
  readonly file: string;
  readonly line: number;
  readonly way: Way;
  /** Which one: a method, a table, a label. */
  readonly what: string;
}

const DRIVER_CALLS: ReadonlySet<string> = new Set(['execute', 'executeIn', 'executeAll']);
const DRIVER_MODULES = /^(?:knex|pg|pg-.+|postgres|better-sqlite3|@libsql\/.+|libsql|sqlite3|node:sqlite|sqlite|mysql2?)$/;
/** What a transaction is asked beside queries. */
const TRANSACTION_ITSELF: ReadonlySet<string> = new Set([
  'isCompleted',
  'isTransaction',
  'commit',
  'rollback',
  'savepoint',
  'transaction',
  'executionPromise',
  'parentTransaction',
]);

export interface Definition {
  readonly closure: Closure;
  readonly text: StatementText;
}

export interface PastTheApiOptions {
  readonly values: Values;
  /** Tells transactions. */
  readonly transactions: Types;
  readonly definitions: readonly Definition[];
  /** The definitions that calls of the API run. */
  readonly run: ReadonlySet<Node>;
}

/** Every place in files that are no drivers. */
export function pastTheApi(files: readonly SourceFile[], { values, transactions, definitions, run }: PastTheApiOptions): PastPlace[] {
  const texts = new Set(definitions.flatMap(({ text }) => text.nodes));
  const places = files.flatMap((file) =>
    file.nodes.flatMap((node) => {
      const found = byNode(file, node, transactions) ?? byText(node, texts);
      return found ? [{ file: file.path, line: file.line(node), ...found }] : [];
    }),
  );
  for (const { closure, text } of definitions) {
    const { file, node } = closure;
    for (const { label, operation } of readDefinition(values, closure).statements) {
      const at = { file: file.path, line: file.line(node), what: label };
      if (text.opaque) places.push({ ...at, way: 'opaque text' });
      if (operation !== 'select' && !run.has(node)) places.push({ ...at, way: 'not run' });
    }
  }
  return places;
}

function byNode(file: SourceFile, node: Node, transactions: Types): { way: Way; what: string } | undefined {
  switch (node.type) {
    case 'MemberExpression': {
      const key = node.computed ? undefined : keyName(node.property);
      if (key === undefined) return undefined;
      if (DRIVER_CALLS.has(key)) return { way: 'driver', what: key };
      const parent = file.parent(node);
      const assigned = parent?.type === 'AssignmentExpression' && parent.left === node;
      if (key === 'knex' && !assigned) return { way: 'knex', what: 'knex' };
      if (!TRANSACTION_ITSELF.has(key) && isTransaction(file, node.object, transactions)) return { way: 'transaction', what: `trx.${key}` };
      return undefined;
    }
    case 'CallExpression':
      return isTransaction(file, node.callee, transactions) ? { way: 'transaction', what: 'trx(…)' } : undefined;
    case 'TaggedTemplateExpression':
      return isTransaction(file, node.tag, transactions) ? { way: 'transaction', what: 'trx`…`' } : undefined;
    case 'ObjectPattern':
      return node.properties.some((property) => property.type === 'Property' && keyName(property.key) === 'knex')
        ? { way: 'knex', what: 'knex' }
        : undefined;
    case 'ImportDeclaration': {
      const isType =
        node.importKind === 'type' ||
        (node.specifiers.length > 0 && node.specifiers.every((each) => each.type === 'ImportSpecifier' && each.importKind === 'type'));
      return !isType && DRIVER_MODULES.test(node.source.value) ? { way: 'import', what: node.source.value } : undefined;
    }
    case 'ImportExpression': {
      const source = textOfNode(node.source);
      return source !== undefined && DRIVER_MODULES.test(source) ? { way: 'import', what: source } : undefined;
    }
    case 'ObjectExpression':
      return migration(node);
    default:
      return undefined;
  }
}

function byText(node: Node, texts: ReadonlySet<Node>): { way: Way; what: string } | undefined {
  if (texts.has(node)) return undefined;
  const [verb] = verbsIn(textOfNode(node) ?? '');
  return verb && { way: 'sql text', what: `${verb.operation} ${verb.table ?? '…'}` };
}

/** One migration, by its name. */
function migration(node: Extract<Node, { type: 'ObjectExpression' }>): { way: Way; what: string } | undefined {
  const property = (key: string) => {
    const found = node.properties.find((each) => each.type === 'Property' && keyName(each.key) === key);
    return found?.type === 'Property' ? found.value : undefined;
  };
  const up = property('up');
  const name = property('name');
  if (!up || !isFunction(up) || !property('kind')) return undefined;
  return { way: 'migration', what: (name && textOfNode(name)) ?? 'without a name' };
}

/** By its type, by its name, or as what `transaction` hands to its callback. */
function isTransaction(file: SourceFile, node: Node, transactions: Types): boolean {
  if (node.type === 'MemberExpression') return !node.computed && keyName(node.property) === 'trx';
  if (node.type === 'TSNonNullExpression' || node.type === 'TSAsExpression') return isTransaction(file, node.expression, transactions);
  if (node.type !== 'Identifier') return false;
  if (node.name === 'trx') return true;
  const binding = bindingOf(file, node.name, node);
  if (binding?.kind !== 'parameter') return binding?.kind === 'variable' && transactions.is(file, node) === true;
  const call = file.parent(binding.of);
  const handed =
    call?.type === 'CallExpression' && call.callee.type === 'MemberExpression' && keyName(call.callee.property) === 'transaction';
  return (handed && binding.index === 0) || transactions.is(file, node) === true;
}

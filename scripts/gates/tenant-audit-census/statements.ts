// The statements of the product: what `defineStatement` is given, read from the sources. A write statement is one whose operation is no select.
import type { CallExpression, Node } from 'oxc-parser';
import { keyName } from './reading/bindings.js';
import { type Closure, inFile } from './reading/closure.js';
import type { SourceFile } from './reading/source-file.js';
import { textsOf } from './reading/texts.js';
import { type Unread, unreadable, type Value } from './reading/value.js';
import type { Values } from './reading/values.js';

export interface StatementRead {
  readonly label: string;
  readonly operation: string;
  readonly table: string;
  /** Where it is defined. */
  readonly file: SourceFile;
  readonly node: Node;
}

export interface StatementsRead {
  readonly statements: readonly StatementRead[];
  readonly unread: readonly Unread[];
}

/** The store's statement factory: its calls are read, not followed. */
export function isDefineStatement(callee: Value): boolean {
  if (callee.kind === 'outside') return callee.from === '@bellhop/store' && callee.name === 'defineStatement';
  return (
    callee.kind === 'written' &&
    callee.file.path === 'packages/store/src/define-statement.ts' &&
    callee.node.type === 'FunctionDeclaration' &&
    callee.node.id?.name === 'defineStatement'
  );
}

/** The statements that an expression came to. */
export function statementsAmong(values: Values, found: readonly Value[], asked: Closure): StatementsRead {
  const reads = found.map((value): StatementsRead => {
    if (value.kind === 'unreadable') return { statements: [], unread: [value] };
    // Of all calls only those of the factory are not followed.
    if (value.kind === 'written' && value.node.type === 'CallExpression') return readDefinition(values, value);
    // Packages below the store have no factory, and write a statement out.
    if (value.kind === 'written' && value.node.type === 'ObjectExpression') return readStatement(values, value, value);
    return { statements: [], unread: [unreadable(asked, 'it is no statement of defineStatement')] };
  });
  return { statements: reads.flatMap(({ statements }) => statements), unread: reads.flatMap(({ unread }) => unread) };
}

/** Every definition in a file, in the order of its text. */
export function definitionsIn(values: Values, file: SourceFile): Closure[] {
  return file.nodes.flatMap((node) =>
    node.type === 'CallExpression' &&
    // Under whatever name it was imported; a member of something is it only by its own name.
    (node.callee.type === 'Identifier' ||
      (node.callee.type === 'MemberExpression' && keyName(node.callee.property) === 'defineStatement')) &&
    values.of(inFile(file, node.callee)).some(isDefineStatement)
      ? [inFile(file, node)]
      : [],
  );
}

export function readDefinition(values: Values, definition: Closure): StatementsRead {
  const argument = (definition.node as CallExpression).arguments[0];
  if (!argument) return { statements: [], unread: [unreadable(definition, 'defineStatement is given nothing')] };
  return readStatement(values, definition, { ...definition, node: argument });
}

function readStatement(values: Values, definition: Closure, object: Closure): StatementsRead {
  const [labels, operations, tables] = (['label', 'operation', 'table'] as const).map((key) => {
    const texts = values.property(object, key).map((value) => (value.kind === 'undefined' ? undefined : textsOf(values, value)));
    return {
      texts: texts.flatMap((read) => read?.texts ?? []),
      unread: texts.flatMap((read) => read?.unread ?? [unreadable(definition, `its ${key} is left out`)]),
    };
  });
  const { file, node } = definition;
  return {
    statements: labels!.texts.flatMap((label) =>
      operations!.texts.flatMap((operation) => tables!.texts.map((table) => ({ label, operation, table, file, node }))),
    ),
    unread: [...labels!.unread, ...operations!.unread, ...tables!.unread],
  };
}

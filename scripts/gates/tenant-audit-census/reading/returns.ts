// What a function can return: the expressions of its returns, and whether its end can be reached without one.
import type { Node } from 'oxc-parser';
import { descendants, type FunctionNode } from './source-file.js';

export interface Returns {
  readonly expressions: readonly Node[];
  /** It may give `undefined`: at its end, or by a bare `return`. */
  readonly fallsThrough: boolean;
}

export function returnsOf(fn: FunctionNode): Returns {
  const { body } = fn;
  if (!body) return { expressions: [], fallsThrough: true };
  if (body.type !== 'BlockStatement') return { expressions: [body], fallsThrough: false };
  const returns = descendants(body, { intoFunctions: false }).filter((node) => node.type === 'ReturnStatement');
  return {
    expressions: returns.flatMap(({ argument }) => (argument ? [argument] : [])),
    fallsThrough: returns.some(({ argument }) => !argument) || !ends(body),
  };
}

/** Whether the statement never passes on to the next; in doubt it does. */
function ends(statement: Node): boolean {
  switch (statement.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
      return true;
    case 'BlockStatement':
      return statement.body.some(ends);
    case 'IfStatement':
      return ends(statement.consequent) && statement.alternate !== null && ends(statement.alternate);
    case 'TryStatement':
      return (
        (statement.finalizer !== null && ends(statement.finalizer)) ||
        (ends(statement.block) && (statement.handler === null || ends(statement.handler.body)))
      );
    case 'SwitchStatement': {
      const { cases } = statement;
      const last = cases.at(-1);
      // A case without statements runs into the next one.
      return (
        cases.some(({ test }) => test === null) &&
        last !== undefined &&
        cases.every(({ consequent }) => consequent.length === 0 || consequent.some(ends)) &&
        last.consequent.length > 0
      );
    }
    default:
      return false;
  }
}

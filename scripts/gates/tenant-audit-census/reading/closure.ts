// An expression together with what the functions around it were called with: the unit in which values are followed.
import type { Node } from 'oxc-parser';
import type { FunctionNode, SourceFile } from './source-file.js';

export interface Closure {
  readonly file: SourceFile;
  readonly node: Node;
  readonly env: Environment;
}

/** What a parameter stands for: one expression, or each element of a list. */
export type Argument = Closure | { readonly elementsOf: Closure };

/** The arguments of each function that was followed into; a function that is not in it may have been called by anybody. */
export type Environment = ReadonlyMap<FunctionNode, readonly Argument[]>;

export const NO_ARGUMENTS: Environment = new Map();

/** An expression as it stands in its file, whoever may have called the functions around it. */
export function inFile(file: SourceFile, node: Node): Closure {
  return { file, node, env: NO_ARGUMENTS };
}

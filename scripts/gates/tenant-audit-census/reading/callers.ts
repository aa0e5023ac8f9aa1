// What a parameter is given, where that shows in the file: by the callers of a private method or of a function that is not exported, or by the
// list whose `map` the function is handed to. A function that others may call is not followed: who calls it is not known.
import type { Node } from 'oxc-parser';
import { type Binding, bindingOf, keyName, referencesTo } from './bindings.js';
import { type Argument, type Environment, inFile } from './closure.js';
import { classAround } from './enclosing.js';
import { descendants, type FunctionNode, type SourceFile } from './source-file.js';

const OVER_ELEMENTS = new Set(['map', 'flatMap', 'filter', 'forEach']);

/** The list that a callback is run over, for its first parameter. */
export function parameterOfCallback(file: SourceFile, fn: FunctionNode, index: number, env: Environment): Argument | undefined {
  const call = file.parent(fn);
  if (index !== 0 || call?.type !== 'CallExpression' || call.arguments[0] !== fn || call.callee.type !== 'MemberExpression')
    return undefined;
  const { callee } = call;
  return !callee.computed && OVER_ELEMENTS.has(keyName(callee.property) ?? '')
    ? { elementsOf: { file, node: callee.object, env } }
    : undefined;
}

/** The argument at a place of every call; undefined where a call leaves it out. A text says why the calls are not known. */
export function argumentsOfCallers(file: SourceFile, fn: FunctionNode, index: number): (Argument | undefined)[] | string {
  const uses = usesOf(file, fn);
  if (typeof uses === 'string') return uses;
  const given: (Argument | undefined)[] = [];
  for (const use of uses) {
    const call = file.parent(use);
    if (call?.type !== 'CallExpression' || call.callee !== use)
      return `its function is handed on in line ${file.line(use)}, to be called there`;
    const before = call.arguments.slice(0, index + 1);
    if (before.some(({ type }) => type === 'SpreadElement')) return `its arguments are spread in line ${file.line(use)}`;
    const argument = call.arguments[index];
    given.push(argument && inFile(file, argument));
  }
  return given.length > 0 ? given : 'nobody calls its function';
}

/** The expressions that name a function, where all of them are in its file. */
function usesOf(file: SourceFile, fn: FunctionNode): Node[] | string {
  const parent = file.parent(fn);
  if (parent?.type === 'MethodDefinition') {
    const { key } = parent;
    if (key.type !== 'PrivateIdentifier') return `it is a parameter of the method ${keyName(key) ?? ''}, which anybody may call`;
    return descendants(classAround(file, parent) ?? file.program).filter(
      (node) => node.type === 'MemberExpression' && !node.computed && keyName(node.property) === `#${key.name}`,
    );
  }
  const binding = declared(file, fn, parent);
  if (!binding) return 'it is a parameter of a function without a name';
  if (isExported(binding)) return `it is a parameter of ${binding.name}, which is exported`;
  return referencesTo(binding);
}

function declared(file: SourceFile, fn: FunctionNode, parent: Node | undefined): Binding | undefined {
  if (fn.type === 'FunctionDeclaration' && fn.id) return bindingOf(file, fn.id.name, parent ?? file.program);
  if (parent?.type !== 'VariableDeclarator' || parent.init !== fn || parent.id.type !== 'Identifier') return undefined;
  const binding = bindingOf(file, parent.id.name, parent);
  return binding?.kind === 'variable' && binding.constant ? binding : undefined;
}

function isExported(binding: Binding): boolean {
  const { file, name } = binding;
  if (bindingOf(file, name, file.program) !== binding) return false;
  return file.module.staticExports.some(({ entries }) => entries.some(({ localName }) => localName.name === name));
}

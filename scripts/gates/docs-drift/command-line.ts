// Commands and options that a source defines with commander.
import type { CallExpression, Node } from 'oxc-parser';
import { lineOf } from '../framework/finding.js';
import type { Declaration } from './declaration.js';
import { calledMethod, fingerprint, type Source, stringOf, walk } from './syntax.js';

export function commandLine(source: Source): Declaration[] {
  const usesCommander = source.program.body.some((node) => node.type === 'ImportDeclaration' && node.source.value === 'commander');
  if (!usesCommander) return [];
  const found: Declaration[] = [];
  /** Names by variable: `const keys = program.command('keys')`. */
  const variables = new Map<string, string>();
  walk(source.program, (node, around) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
      const name = commandOf(node.init, variables);
      if (name !== undefined) variables.set(node.id.name, name);
    }
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const text = stringOf(node.arguments[0]);
    if (text === undefined) return;
    const at = { path: source.path, line: lineOf(source.text, node.arguments[0]!.start) };
    if (node.type === 'CallExpression' && calledMethod(node) === 'command') {
      found.push({ ...at, name: commandOf(node, variables)!, kind: 'a command', print: described(node, around) });
    } else if (isOption(node)) {
      const print = fingerprint(node.arguments);
      for (const [flag] of text.matchAll(/(?<![\w-])--[a-z][\w-]*/g))
        found.push({ ...at, name: flag, kind: 'an option of the command line', print });
    }
  });
  return found;
}

function isOption(node: Node): boolean {
  if (node.type === 'NewExpression') return node.callee.type === 'Identifier' && node.callee.name === 'Option';
  return ['option', 'requiredOption'].includes(calledMethod(node) ?? '');
}

/** `bellhop keys` for `program.command('keys').description('…')`; undefined for what is no command. */
function commandOf(node: Node, variables: ReadonlyMap<string, string>): string | undefined {
  if (node.type === 'Identifier') return variables.get(node.name);
  if (node.type === 'NewExpression') {
    return node.callee.type === 'Identifier' && node.callee.name === 'Command' ? stringOf(node.arguments[0]) : undefined;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const parent = commandOf(node.callee.object, variables);
  if (calledMethod(node) !== 'command') return parent;
  const own = stringOf(node.arguments[0])?.split(' ')[0];
  return own === undefined ? undefined : parent === undefined ? own : `${parent} ${own}`;
}

/** What is said of a command behind its name; its options speak for themselves, its action is code. */
function described(node: CallExpression, around: readonly Node[]): string {
  const parts: unknown[] = [node.arguments];
  for (const outer of around.toReversed()) {
    if (outer.type === 'MemberExpression') continue;
    const method = calledMethod(outer);
    if (method === undefined || method === 'command') break;
    if (outer.type === 'CallExpression' && !['action', 'option', 'requiredOption', 'addOption'].includes(method))
      parts.push(method, outer.arguments);
  }
  return fingerprint(...parts);
}

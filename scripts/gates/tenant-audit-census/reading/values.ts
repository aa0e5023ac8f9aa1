// Which expressions an expression can come to: names, members, conditions and calls are followed, across files, to where something is written
// out (an object, a text, a function). What cannot be followed is said to be so, never left out.
import type { CallExpression, Node } from 'oxc-parser';
import { assignmentsTo, loopOf, mayStayUndefined } from './assignments.js';
import { type Binding, bindingOf, keyName, type Leaf } from './bindings.js';
import { storedInCache } from './cached.js';
import { argumentsOfCallers, parameterOfCallback } from './callers.js';
import { type Argument, type Closure, type Environment, inFile } from './closure.js';
import { decide } from './decide.js';
import { literalKey, ownMember, propertyOf } from './members.js';
import type { Exported, Modules } from './modules.js';
import { returnsOf } from './returns.js';
import { type FunctionNode, isFunction } from './source-file.js';
import { unreadable, type Value } from './value.js';

/** Steps within steps that are followed: a recursion ends here, unread. */
const DEPTH = 60;

export class Values {
  readonly #active: Closure[] = [];

  /** `factory`: functions whose calls are what is looked for, and are not followed. */
  constructor(
    readonly modules: Modules,
    readonly factory: (callee: Value) => boolean = () => false,
  ) {}

  /** Every expression that this one can come to, each once; never none. */
  of(closure: Closure): Value[] {
    const found = this.follow(closure);
    const values = found.filter((value, at) => found.findIndex((other) => same(value, other)) === at);
    return values.length > 0 ? values : [unreadable(closure, 'it is made of nothing but itself')];
  }

  /** What a property of an object can come to. */
  property(object: Closure, key: string): Value[] {
    return this.of(object).flatMap((value) => propertyOf(this, value, key, object));
  }

  /** As `of`, in the middle of following something: none where it leads back to what is being followed. */
  follow(closure: Closure): Value[] {
    // A value made of itself, as one read from a cache and stored again, adds nothing to what it is made of besides.
    if (this.#active.some(({ node, env }) => node === closure.node && env === closure.env)) return [];
    if (this.#active.length > DEPTH) return [unreadable(closure, 'it takes too many steps to follow')];
    this.#active.push(closure);
    try {
      return this.#step(closure);
    } finally {
      this.#active.pop();
    }
  }

  exported(exported: Exported, asked: Closure): Value[] {
    if (exported.kind === 'outside') return [{ kind: 'outside', from: exported.from, name: exported.name, ...asked }];
    if (exported.kind === 'expression') return this.follow(inFile(exported.file, exported.node));
    const { file } = exported;
    if (exported.kind === 'module') return [{ kind: 'written', ...inFile(file, file.program) }];
    const binding = bindingOf(file, exported.name, file.program);
    if (binding?.kind === 'variable') return this.#variable(binding, inFile(file, file.program));
    if (binding?.kind === 'function' || binding?.kind === 'class') return [{ kind: 'written', ...inFile(file, binding.node) }];
    return [unreadable(asked, `${exported.name} of ${file.path} is no value`)];
  }

  #step(closure: Closure): Value[] {
    const { file, node, env } = closure;
    const at = (next: Node) => this.follow({ file, node: next, env });
    switch (node.type) {
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
      case 'ChainExpression':
        return at(node.expression);
      case 'AwaitExpression':
        return at(node.argument);
      case 'SequenceExpression':
        return at(node.expressions.at(-1)!);
      case 'AssignmentExpression':
        return node.operator === '=' ? at(node.right) : [unreadable(closure, `it is what ${node.operator} comes to`)];
      case 'ConditionalExpression': {
        const decided = decide(this, { file, node: node.test, env });
        if (decided !== undefined) return at(decided ? node.consequent : node.alternate);
        return [...at(node.consequent), ...at(node.alternate)];
      }
      case 'LogicalExpression':
        if (node.operator === '&&') return [...at(node.right), { kind: 'undefined' }];
        return [...at(node.left).filter(({ kind }) => kind !== 'undefined'), ...at(node.right)];
      case 'UnaryExpression':
        return node.operator === 'void' ? [{ kind: 'undefined' }] : [{ kind: 'written', ...closure }];
      case 'Identifier':
        return this.#name(closure, node.name);
      case 'MemberExpression': {
        const key = node.computed ? literalKey(node.property) : keyName(node.property);
        if (key === undefined) return [unreadable(closure, 'which member it is shows at run time only')];
        if (node.object.type === 'ThisExpression') return ownMember(this, closure, key);
        return at(node.object).flatMap((object) => propertyOf(this, object, key, closure));
      }
      case 'CallExpression':
        return this.#call(closure, node);
      default:
        return [{ kind: 'written', ...closure }];
    }
  }

  #name(closure: Closure, name: string): Value[] {
    const binding = bindingOf(closure.file, name, closure.node);
    if (!binding) return name === 'undefined' ? [{ kind: 'undefined' }] : [{ kind: 'outside', from: 'global', name, ...closure }];
    switch (binding.kind) {
      case 'import': {
        const exported = this.modules.imported(binding);
        return exported ? this.exported(exported, closure) : [unreadable(closure, `${binding.from} exports no ${binding.imported}`)];
      }
      case 'variable':
        return this.#variable(binding, closure);
      case 'parameter': {
        const given = this.given(binding, closure.env);
        if (typeof given === 'string') return [unreadable(closure, given)];
        return given.flatMap((argument) => this.#leaf(binding.leaf, argument, closure));
      }
      case 'function':
      case 'class':
        return [{ kind: 'written', file: binding.file, node: binding.node, env: closure.env }];
      case 'other':
        return [unreadable(closure, 'it is the member of an enum, or was caught')];
    }
  }

  #variable(binding: Extract<Binding, { kind: 'variable' }>, closure: Closure): Value[] {
    const { file, declarator, leaf, constant } = binding;
    const { env } = closure;
    const loop = loopOf(file, declarator);
    if (loop) return this.#leaf(leaf, { elementsOf: { file, node: loop.right, env } }, closure);
    const found = declarator.init ? this.#leaf(leaf, { file, node: declarator.init, env }, closure) : [];
    if (constant) return found;
    if (!declarator.init && mayStayUndefined(file, declarator)) found.push({ kind: 'undefined' });
    for (const { operator, value } of assignmentsTo(binding)) {
      if (!value || !['=', '??=', '||='].includes(operator)) return [unreadable(closure, `it is assigned by ${operator} or in parts`)];
      found.push(...this.follow({ file, node: value, env }));
    }
    return found;
  }

  /** The arguments that a parameter may have; a text says why they are not known. */
  given({ file, of, index }: Extract<Binding, { kind: 'parameter' }>, env: Environment): readonly (Argument | undefined)[] | string {
    const known = env.get(of);
    if (known) return [known[index]];
    const element = parameterOfCallback(file, of, index, env);
    return element ? [element] : argumentsOfCallers(file, of, index);
  }

  /** What one name of a destructured value comes to. */
  #leaf({ path, fallback }: Leaf, argument: Argument | undefined, asked: Closure): Value[] {
    if (path === undefined) return [unreadable(asked, 'it is one of a list, or of the rest of something')];
    let found: Value[] = argument ? this.#argument(argument) : [{ kind: 'undefined' }];
    for (const key of path) found = found.flatMap((value) => propertyOf(this, value, key, asked));
    if (!fallback) return found;
    const { file, env } = asked;
    return found.flatMap((value) => (value.kind === 'undefined' ? this.follow({ file, node: fallback, env }) : [value]));
  }

  #argument(argument: Argument): Value[] {
    if (!('elementsOf' in argument)) return this.follow(argument);
    return this.follow(argument.elementsOf).flatMap((list): Value[] => {
      if (list.kind !== 'written' || list.node.type !== 'ArrayExpression') {
        return [unreadable(argument.elementsOf, 'it is one of a list that is not written out')];
      }
      const { file, env } = list;
      return list.node.elements.flatMap((element) => {
        if (element === null) return [];
        if (element.type === 'SpreadElement') return this.#argument({ elementsOf: { file, node: element.argument, env } });
        return this.follow({ file, node: element, env });
      });
    });
  }

  #call(closure: Closure, node: CallExpression): Value[] {
    const { file, env } = closure;
    const cached = storedInCache(file, node);
    if (cached) return cached.flatMap((value) => this.follow({ file, node: value, env }));
    const text = `${file.text.slice(node.callee.start, node.callee.end).replaceAll(/\s+/g, ' ')}()`;
    return this.follow({ file, node: node.callee, env }).flatMap((callee): Value[] => {
      if (callee.kind === 'undefined') return [];
      if (this.factory(callee)) return [{ kind: 'written', ...closure }];
      if (callee.kind === 'outside' && callee.name === 'Object.freeze' && node.arguments[0]) {
        return this.follow({ file, node: node.arguments[0], env });
      }
      if (callee.kind !== 'written' || !isFunction(callee.node)) return [unreadable(closure, `what ${text} gives is not followed`)];
      if (node.arguments.some(({ type }) => type === 'SpreadElement')) return [unreadable(closure, `the arguments of ${text} are spread`)];
      const args = node.arguments.map((argument) => ({ file, node: argument, env }));
      return this.returned({ ...callee, node: callee.node }, args) ?? [unreadable(closure, `${text} is a generator`)];
    });
  }

  /** What a function gives, called with these; undefined for a generator. */
  returned(fn: Closure & { readonly node: FunctionNode }, args: readonly Argument[]): Value[] | undefined {
    if (fn.node.generator) return undefined;
    const env: Environment = new Map([...fn.env, [fn.node, args]]);
    const { expressions, fallsThrough } = returnsOf(fn.node);
    const found = expressions.flatMap((node) => this.follow({ file: fn.file, node, env }));
    return fallsThrough ? [...found, { kind: 'undefined' }] : found;
  }
}

function same(a: Value, b: Value): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'undefined' || b.kind === 'undefined') return true;
  return a.node === b.node && a.env === b.env;
}

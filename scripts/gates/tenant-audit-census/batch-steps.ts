// The steps of a `store.batch`: a list that is written out, in one place or by pushes, spreads and maps. Each step is an object of the source.
import type { CallExpression, Node } from 'oxc-parser';
import { assignmentsTo } from './reading/assignments.js';
import { type Binding, bindingOf, keyName, referencesTo } from './reading/bindings.js';
import { type Closure, inFile } from './reading/closure.js';
import { returnsOf } from './reading/returns.js';
import { isFunction } from './reading/source-file.js';
import { type Unread, unreadable } from './reading/value.js';
import type { Values } from './reading/values.js';

export interface StepsRead {
  readonly steps: readonly Closure[];
  readonly unread: readonly Unread[];
}

const NOTHING: StepsRead = { steps: [], unread: [] };

/** Methods of a list that add nothing to it. */
const HARMLESS = new Set([
  'map',
  'flatMap',
  'filter',
  'concat',
  'slice',
  'toReversed',
  'toSorted',
  'length',
  'at',
  'forEach',
  'some',
  'every',
]);

export function stepsOf(values: Values, list: Closure): StepsRead {
  const { file, node, env } = list;
  const at = (next: Node) => stepsOf(values, { file, node: next, env });
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return at(node.expression);
    case 'ArrayExpression':
      return all(
        node.elements.map((element) => {
          if (element === null) return NOTHING;
          return element.type === 'SpreadElement' ? at(element.argument) : stepOf(values, { file, node: element, env });
        }),
      );
    case 'ConditionalExpression':
      return all([at(node.consequent), at(node.alternate)]);
    case 'Identifier': {
      const binding = bindingOf(file, node.name, node);
      return binding ? named(values, binding, list) : { steps: [], unread: [unreadable(list, `${node.name} is not declared`)] };
    }
    case 'CallExpression':
      return called(values, node, list);
    default:
      return all(
        values.of(list).map((value) => {
          if (value.kind === 'written' && value.node.type === 'ArrayExpression') return stepsOf(values, value);
          return { steps: [], unread: [value.kind === 'unreadable' ? value : unreadable(list, 'it is no list that is written out')] };
        }),
      );
  }
}

function stepOf(values: Values, step: Closure): StepsRead {
  return all(
    values.of(step).map((value) => {
      if (value.kind === 'undefined') return NOTHING;
      if (value.kind === 'written' && value.node.type === 'ObjectExpression') return { steps: [value], unread: [] };
      return { steps: [], unread: [value.kind === 'unreadable' ? value : unreadable(step, 'it is no step that is written out')] };
    }),
  );
}

function named(values: Values, binding: Binding, list: Closure): StepsRead {
  const { env } = list;
  if (binding.kind === 'parameter' && binding.leaf.path?.length === 0) {
    const given = values.given(binding, env);
    if (typeof given === 'string') return { steps: [], unread: [unreadable(list, given)] };
    return all(
      given.map((argument) => {
        if (argument && !('elementsOf' in argument)) return stepsOf(values, argument);
        return { steps: [], unread: [unreadable(list, 'it is left out by a caller, or one of a list')] };
      }),
    );
  }
  if (binding.kind === 'import') {
    const exported = values.modules.imported(binding);
    const declared = exported?.kind === 'name' ? bindingOf(exported.file, exported.name, exported.file.program) : undefined;
    return declared && declared.kind !== 'import'
      ? named(values, declared, inFile(declared.file, declared.file.program))
      : { steps: [], unread: [unreadable(list, `${binding.imported} of ${binding.from} is not followed`)] };
  }
  if (binding.kind !== 'variable' || binding.leaf.path?.length !== 0) {
    return { steps: [], unread: [unreadable(list, `${binding.name} is no list that is written out`)] };
  }
  const { file, declarator } = binding;
  return all([
    declarator.init ? stepsOf(values, { file, node: declarator.init, env }) : NOTHING,
    ...assignmentsTo(binding).map(({ value }) =>
      value ? stepsOf(values, { file, node: value, env }) : { steps: [], unread: [unreadable(list, 'it is assigned in parts')] },
    ),
    ...referencesTo(binding).map((reference) => added(values, reference, { file, node: reference, env })),
  ]);
}

/** What a mention of the list adds to it. */
function added(values: Values, reference: Node, list: Closure): StepsRead {
  const { file, env } = list;
  const parent = file.parent(reference);
  if (parent?.type === 'CallExpression' && parent.callee !== reference) {
    const { callee } = parent;
    if (callee.type === 'MemberExpression' && !callee.computed && keyName(callee.property) === 'batch') return NOTHING;
    return { steps: [], unread: [unreadable(list, `the list is handed on in line ${file.line(reference)}, where more may be added`)] };
  }
  if (parent?.type !== 'MemberExpression' || parent.object !== reference) return NOTHING;
  const method = parent.computed ? undefined : keyName(parent.property);
  if (method !== undefined && HARMLESS.has(method)) return NOTHING;
  const call = file.parent(parent);
  if ((method === 'push' || method === 'unshift') && call?.type === 'CallExpression' && call.callee === parent) {
    return all(
      call.arguments.map((argument) =>
        argument.type === 'SpreadElement'
          ? stepsOf(values, { file, node: argument.argument, env })
          : stepOf(values, { file, node: argument, env }),
      ),
    );
  }
  // Reading an element adds none; assigning one does.
  const written = call?.type === 'AssignmentExpression' && call.left === parent;
  if (parent.computed && !written) return NOTHING;
  return { steps: [], unread: [unreadable(list, `the list is changed in line ${file.line(reference)} in a way that is not followed`)] };
}

function called(values: Values, node: CallExpression, list: Closure): StepsRead {
  const { file, env } = list;
  const { callee } = node;
  const method = callee.type === 'MemberExpression' && !callee.computed ? keyName(callee.property) : undefined;
  const first = node.arguments[0];
  if (callee.type === 'MemberExpression' && (method === 'map' || method === 'flatMap') && first) {
    const read = method === 'map' ? stepOf : stepsOf;
    const over = [{ elementsOf: { file, node: callee.object, env } }];
    return all(
      values.of({ file, node: first, env }).map((fn) => {
        if (fn.kind !== 'written' || !isFunction(fn.node))
          return { steps: [], unread: [unreadable(list, 'what makes its steps is not followed')] };
        const within = new Map([...fn.env, [fn.node, over]]);
        return all(returnsOf(fn.node).expressions.map((each) => read(values, { file: fn.file, node: each, env: within })));
      }),
    );
  }
  if (callee.type === 'MemberExpression' && (method === 'filter' || method === 'slice' || method === 'concat')) {
    const more = method === 'concat' ? node.arguments.map((argument) => stepsOf(values, { file, node: argument, env })) : [];
    return all([stepsOf(values, { file, node: callee.object, env }), ...more]);
  }
  return all(
    values.of({ file, node: callee, env }).map((fn) => {
      if (fn.kind !== 'written' || !isFunction(fn.node) || fn.node.generator) {
        return { steps: [], unread: [unreadable(list, 'what gives the list is not followed')] };
      }
      const args = node.arguments.map((argument) => ({ file, node: argument, env }));
      const within = new Map([...fn.env, [fn.node, args]]);
      return all(returnsOf(fn.node).expressions.map((each) => stepsOf(values, { file: fn.file, node: each, env: within })));
    }),
  );
}

function all(reads: readonly StepsRead[]): StepsRead {
  return { steps: reads.flatMap(({ steps }) => steps), unread: reads.flatMap(({ unread }) => unread) };
}

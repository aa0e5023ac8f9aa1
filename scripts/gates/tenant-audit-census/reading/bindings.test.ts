import { describe, expect, it } from 'vitest';
import { bindingOf, referencesTo } from './bindings.js';
import { parseSource } from './source-file.js';

/** The binding of the name in `mark(name)`. */
function marked(text: string) {
  const file = parseSource('a.ts', text);
  const call = file.nodes.find(
    (node) => node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'mark',
  );
  const argument = call?.type === 'CallExpression' ? call.arguments[0] : undefined;
  if (argument?.type !== 'Identifier') throw new Error('nothing is marked');
  return bindingOf(file, argument.name, argument);
}
const told = (text: string) => {
  const binding = marked(text);
  if (!binding) return 'global';
  if (binding.kind === 'import') return `${binding.imported} of ${binding.from}`;
  if (binding.kind === 'variable' || binding.kind === 'parameter') return `${binding.kind} ${JSON.stringify(binding.leaf.path ?? null)}`;
  return binding.kind;
};

describe('a name', () => {
  it.each([
    ['mark(x);', 'global'],
    ['const x = 1; mark(x);', 'variable []'],
    ['const x = 1; { const { x } = y; mark(x); }', 'variable ["x"]'],
    ['const x = 1; { const { x } = y; } mark(x);', 'variable []'],
    ['const x = 1; function f(x: number) { mark(x); }', 'parameter []'],
    ['const f = ({ a: { b: x } }: O) => mark(x);', 'parameter ["a","b"]'],
    ['const f = ({ x = 1 }: O) => mark(x);', 'parameter ["x"]'],
    ['const f = ([x]: O) => mark(x);', 'parameter null'],
    ['const f = (...x: O) => mark(x);', 'parameter null'],
    ['const f = ({ [k]: x }: O) => mark(x);', 'parameter null'],
    ['class A { constructor(private x: O) { mark(x); } }', 'parameter []'],
    ['if (a) { var x = 1; } mark(x);', 'variable []'],
    ['if (a) { let x = 1; } mark(x);', 'global'],
    ['for (const x of y) mark(x);', 'variable []'],
    ['try {} catch (x) { mark(x); }', 'other'],
    ['mark(x); function x() {}', 'function'],
    ['const f = function x() { mark(x); };', 'function'],
    ['class x {} mark(x);', 'class'],
    ['enum x { A } mark(x);', 'other'],
    ["import { y as x } from './y.js'; mark(x);", 'y of ./y.js'],
    ["import x from './y.js'; mark(x);", 'default of ./y.js'],
    ["import * as x from './y.js'; mark(x);", '* of ./y.js'],
  ])('%s: %s', (text, kind) => expect(told(text)).toBe(kind));

  it('is mentioned where it is read or written, and not where it is a key, a type or declared', () => {
    const binding = marked(
      'const x = { x: 1 }; mark(x); y.x; x.y; ({ x }); ({ x: 1 }); ({ [x]: 1 }); let z: x; x.push(x); function f(x: number) { x; }',
    )!;
    const { file } = binding;
    const mentions = referencesTo(binding).map(({ start, end }) => file.text.slice(start - 2, end + 2).trim());
    expect(mentions).toEqual(['k(x);', '; x.y', '{ x }', '[x]:', '; x.p', 'h(x);']);
  });
});

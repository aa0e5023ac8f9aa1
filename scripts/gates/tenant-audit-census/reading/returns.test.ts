import { expect, it } from 'vitest';
import { returnsOf } from './returns.js';
import { isFunction, parseSource } from './source-file.js';

const read = (text: string) => {
  const file = parseSource('a.ts', text);
  const { expressions, fallsThrough } = returnsOf(file.nodes.find(isFunction)!);
  return [...expressions.map(({ start, end }) => file.text.slice(start, end)), ...(fallsThrough ? ['nothing'] : [])].join(' ');
};

it.each([
  ['() => a', 'a'],
  ['() => { return a; }', 'a'],
  ['() => {}', 'nothing'],
  ['() => { if (x) return a; }', 'a nothing'],
  ['() => { if (x) return a; return; }', 'a nothing'],
  ['() => { if (x) return a; else return b; }', 'a b'],
  ['() => { if (x) return a; throw b; }', 'a'],
  ['() => { const f = () => { return b; }; return a; }', 'a'],
  ['() => { try { return a; } catch { return b; } }', 'a b'],
  ['() => { try { return a; } catch { b(); } }', 'a nothing'],
  ['() => { try { b(); } finally { return a; } }', 'a'],
  ['() => { switch (x) { case 1: return a; default: return b; } }', 'a b'],
  ['() => { switch (x) { case 1: case 2: return a; default: return b; } }', 'a b'],
  ['() => { switch (x) { case 1: return a; } }', 'a nothing'],
  ['() => { switch (x) { case 1: b(); break; default: return a; } }', 'a nothing'],
  ['() => { while (x) return a; }', 'a nothing'],
])('%s gives %s', (text, gives) => expect(read(`const f = ${text};`)).toBe(gives));

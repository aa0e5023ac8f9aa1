import { describe, expect, it } from 'vitest';
import { touchedAnchors } from './declaration.js';
import { declarationsOf } from './declarations.js';

const LOOP = 'packages/loop/src/loop.ts';
const touched = (before: string, after: string) =>
  touchedAnchors(declarationsOf(LOOP, before), declarationsOf('packages/loop/src/deep/other.ts', after)).map(
    ({ name, kind, state }) => `${state} ${name}, ${kind}`,
  );

describe('a change touches', () => {
  it.each([
    ['export function f() { return 1; }', 'export function f() { return 2; }', ['changed f, a function']],
    ['export const f = () => 1;', 'export const f = () => 2;', ['changed f, a function']],
    ['export const A = 1;', 'export const A = 2;', ['changed A, a constant']],
    ['', 'export class A { b() {} #c = 1; }', ['added A, a class', 'added b, a method of class A']],
    ['export interface A { b: string }', 'export interface A { b?: string }', ['changed b, a field of interface A']],
    ['export interface A { b(): void }', 'export interface A { b(): number }', ['changed b, a method of interface A']],
    ['export interface A { b: 1 }', 'export interface A { b: 1; c: 1 }', ['changed A, an interface', 'added c, a field of interface A']],
    ['export interface A {}', 'export interface A extends B {}', ['changed A, an interface']],
    ['export class A { b() { return 1; } }', 'export class A { b() { return 2; } }', ['changed b, a method of class A']],
    ['export class A { #b = 1; c = 1 }', 'export class A { #b = 2; c = 1 }', ['changed A, a class']],
    ['export class A { constructor(b: 1) {} }', 'export class A { constructor(b: 2) {} }', ['changed A, a class']],
    ['export const A = { b: 1, c: 1 };', 'export const A = { b: 2, c: 1 };', ['changed b, a key of A']],
    ['/** One. */\nexport type A = string;', '/** Two. */\nexport type A = string;', ['changed A, a type']],
    ['class A {}\nexport { A };', 'class A { b = 1 }\nexport { A };', ['changed A, a class', 'added b, a field of class A']],
    ['export function f(a: 1): 1;\nexport function f(a: 2): 2;', 'export function f(a: 1): 1;', ['changed f, a function']],
  ])('%j → %j: %j', (before, after, expected) => expect(touched(before, after)).toEqual(expected));

  it.each([
    ['export function f() { return "a"; }', "// Why.\nexport function f() {\n  return 'a'; // why\n}"],
    ['export interface A { b: 1; c: 1 }', 'export interface A { c: 1, b: 1 }'],
    ['/** One\n * two. */\nexport type A = 1_000;', '/**\n * One two.\n */\n\nexport type A = 1000;'],
    ['function hidden() { return 1; }', 'function hidden() { return 2; }'],
    ['export class A { private b = 1 }', 'export class A { private b = 1; }'],
  ])('nothing: %j → %j', (before, after) => expect(touched(before, after)).toEqual([]));

  it('what two files share once, told by the one nearest to the face of the package', () => {
    const shallow = declarationsOf('packages/a/src/a.ts', "const a = variable('BELLHOP_A');");
    const deep = declarationsOf('packages/a/src/b/c.ts', "\nconst b = variable('BELLHOP_A', 1);");
    expect(touchedAnchors([], [...deep, ...shallow])).toMatchObject([
      { name: 'BELLHOP_A', path: 'packages/a/src/a.ts', line: 1, state: 'added' },
    ]);
    expect(touchedAnchors([...deep, ...shallow], shallow)).toMatchObject([{ name: 'BELLHOP_A', state: 'changed' }]);
    expect(touchedAnchors(shallow, [])).toMatchObject([{ name: 'BELLHOP_A', state: 'removed' }]);
  });
});

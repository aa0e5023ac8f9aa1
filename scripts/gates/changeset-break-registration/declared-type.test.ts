import { describe, expect, it } from 'vitest';
import { declaredAs } from './declared-type.js';

const as = (text: string, symbol = 'A') => declaredAs('a.ts', text, symbol);

describe('a module exports a name', () => {
  it.each([
    ['export interface A {}', 'type'],
    ['export type A = string;', 'type'],
    ['interface B {}\nexport type { B as A };', 'type'],
    ['export class A {}', 'value'],
    ['export function A() {}', 'value'],
    ['export const A = 1, B = 2;', 'value'],
    ['export enum A {}', 'value'],
    ['class A {}\nexport { A };', 'value'],
    ['export type A = string;\nexport const A = "a";', 'value'],
    ['interface A {}', 'not exported'],
    ['interface A {}\nexport { A as B };', 'not exported'],
    ['export interface B { A: string }', 'not exported'],
  ])('%j', (text, declared) => expect(as(text)).toBe(declared));

  it('or cannot be read', () => expect(() => as('export interface {')).toThrow(/a\.ts cannot be parsed/));
});

import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { checkFields } from './input-fields.js';
import { checkPositive, checkTime, checkWhole } from './input-numbers.js';

const NO_INTEGERS = [Number.NaN, Number.POSITIVE_INFINITY, 1.5, -1, '7', null, undefined, 7n, [7], Object.create(null)];

describe.each([
  ['checkWhole', (value: unknown) => checkWhole(value, 'a.b', { least: 2, most: 5 }), [2, 5], [1, 6]],
  ['checkPositive', (value: unknown) => checkPositive(value, 'a.b'), [1, Number.MAX_SAFE_INTEGER], [0, Number.MAX_SAFE_INTEGER + 1]],
  ['checkTime', (value: unknown) => checkTime(value, 'a.b'), [0, 8.64e15], [8.64e15 + 1]],
])('%s', (_name, check, taken, refused) => {
  it.each(taken)('takes %s', (value) => {
    expect(check(value)).toBe(value);
  });

  it.each([...refused, ...NO_INTEGERS].map((value) => [value]))('refuses %o, and says where', (value) => {
    expect(() => check(value)).toThrow(InputError);
    expect(() => check(value)).toThrow(/^a\.b: .* given; /);
  });
});

it('takes −0 for 0, which is what a database gives back', () => {
  expect(checkWhole(-0, 'a', { least: 0, most: 5 })).toBe(0);
  expect(checkTime(-0, 'a')).toBe(0);
});

describe('checkFields', () => {
  it('takes an object of the fields allowed, or of some of them', () => {
    expect(checkFields({ a: 1 }, 'options', ['a', 'b'], 'options.')).toEqual({ a: 1 });
    expect(checkFields({}, 'options', ['a'], '')).toEqual({});
  });

  it.each([[null], [undefined], ['text'], [['a']], [7]])('refuses %o, which is none', (value) => {
    expect(() => checkFields(value, 'options', ['a', 'b'], '')).toThrow('options: an object with a, b is needed.');
  });

  it('refuses a field that does not exist, and names it', () => {
    expect(() => checkFields({ a: 1, A: 2 }, 'options', ['a'], 'jobs[3].')).toThrow('jobs[3].A: no such field; a are allowed.');
  });
});

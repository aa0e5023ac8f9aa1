import { expect, it } from 'vitest';
import { toPositional } from './named-params.js';

it('numbers parameters by first appearance and leaves casts alone', () => {
  const { text, values } = toPositional('SELECT :b::json, :a, CAST(:b AS TEXT), x::bigint FROM t WHERE y = :c');
  expect(text).toBe('SELECT $1::json, $2, CAST($1 AS TEXT), x::bigint FROM t WHERE y = $3');
  expect(values({ a: 1, b: 'two', c: null, unused: 4 })).toEqual(['two', 1, null]);
});

it('binds a parameter that was not given as null', () => {
  expect(toPositional('SELECT :a').values({})).toEqual([null]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFaultAt } from './json-fault.js';

describe('where a text stops being JSON', () => {
  it.each([
    ['{ "port": ', 10],
    ['', 0],
    ['{"port": 8O}', 10],
    ['{"a": hello}', 6],
    ['{"a": 1,}', 8],
    ['[1, 2,]', 6],
    ['{"a" 1}', 5],
    ["{'a': 1}", 1],
    ['{"a": "b\nc"}', 6],
    ['{} {}', 3],
    ['[1 2]', 3],
    ['{"a": 01}', 7],
  ])('%j: at %i', (text, at) => {
    expect(jsonFaultAt(text)).toBe(at);
    expect(() => JSON.parse(text)).toThrow();
  });

  it('nowhere in what is JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(jsonFaultAt(text)).toBe(text.length);
      }),
    );
  });
});

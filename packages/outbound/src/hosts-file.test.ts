import { describe, expect, it } from 'vitest';
import { parseHosts } from './hosts-file.js';

const read = (text: string) =>
  Object.fromEntries([...parseHosts(text)].map(([name, found]) => [name, found.map(({ address }) => address)]));

describe('a hosts file', () => {
  it.each([
    ['one name', '1.1.1.1 hook.example', { 'hook.example': ['1.1.1.1'] }],
    ['several names, blanks, tabs and a comment', '\t1.1.1.1\t a  b.c # d', { a: ['1.1.1.1'], 'b.c': ['1.1.1.1'] }],
    ['line ends of Windows and a byte order mark', '\uFEFF1.1.1.1 a\r\n::1 b\r\n', { a: ['1.1.1.1'], b: ['::1'] }],
    ['a name on several lines', '1.1.1.1 a\n::1 a\n1.1.1.1 a', { a: ['1.1.1.1', '::1'] }],
    ['capitals and a trailing dot', '1.1.1.1 Hook.Example.', { 'hook.example': ['1.1.1.1'] }],
    ['names that objects have', '1.1.1.1 constructor', { constructor: ['1.1.1.1'] }],
    ['an address written in another way', '127.1 a\n0x7f.0.0.1 b\n010.0.0.1 c\n1.1.1.1/32 d\n[::1] e', {}],
    ['a line without an address', 'a b\n\n#1.1.1.1 c\n', {}],
    ['an address without a name', '1.1.1.1\n1.1.1.1 # a', {}],
    ['what is no name', '1.1.1.1 a..b -a * a/b .a ok', { ok: ['1.1.1.1'] }],
  ])('with %s', (_title, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('tells the family', () => {
    expect([...parseHosts('1.1.1.1 a\n::1 a').get('a')!]).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  });
});

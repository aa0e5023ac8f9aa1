import { describe, expect, it } from 'vitest';
import { blanked, regionsOf } from './markdown.js';

const seen = (page: string) => regionsOf(page).map(({ kind, text }) => [kind, text]);

describe('the regions of a page', () => {
  it('are code blocks, spans, comments and headings', () => {
    const page = '# A `b`\n\ntext `c` and ``d ` e``\n\n```ts\nf(`g`);\n# not a heading\n```\n<!-- h\n`i` -->\n';
    expect(seen(page)).toEqual([
      ['heading', 'A `b`'],
      ['code span', 'b'],
      ['code span', 'c'],
      ['code span', 'd ` e'],
      ['code block', 'f(`g`);\n# not a heading\n'],
      ['comment', ' h\n`i` '],
    ]);
    for (const { at, text } of regionsOf(page)) expect(page.slice(at, at + text.length)).toBe(text);
  });

  it('let a fence hold shorter fences, and other marks', () => {
    expect(seen('````md\n```\n<!-- a -->\n```\n````\n`b`')).toEqual([
      ['code block', '```\n<!-- a -->\n```\n'],
      ['code span', 'b'],
    ]);
    expect(seen('~~~\n```\n~~~\n')).toEqual([['code block', '```\n']]);
    expect(seen('- item\n  ```\n  a\n  ```\n')).toEqual([['code block', '  a\n']]);
  });

  it('run to the end where they are not closed; a backtick alone is text', () => {
    expect(seen('```\na')).toEqual([['code block', 'a']]);
    expect(seen('<!-- a')).toEqual([['comment', ' a']]);
    expect(seen('a ` b\n\nc ` d')).toEqual([]);
    expect(seen('a ``` b')).toEqual([]);
  });

  it('can be taken out without moving the rest', () => {
    const page = 'a `b`\n<!-- c\nd --> e';
    expect(blanked(page, regionsOf(page), ['code span', 'comment'])).toBe('a    \n      \n      e');
    expect(blanked(page, regionsOf(page), ['comment'])).toBe('a `b`\n      \n      e');
  });
});

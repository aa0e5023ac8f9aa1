import { describe, expect, it } from 'vitest';
import { isChangesetPath, readChangeset } from './changeset.js';

describe('a changeset', () => {
  it('is Markdown in its folder, but for the README and hidden files', () => {
    const paths = [
      '.changeset/a.md',
      '.changeset/README.md',
      '.changeset/readme.md',
      '.changeset/.a.md',
      '.changeset/b/a.md',
      'a.md',
      '.changeset/a.json',
    ];
    expect(paths.filter(isChangesetPath)).toEqual(['.changeset/a.md']);
  });

  it('names packages in lines, and has a summary', () => {
    const text = `---\n# '@bellhop/loop': patch\n"@bellhop/loop-more": minor\n'@bellhop/loop': major\nplain: none\n---\n\nOne.\n\n---\n\nTwo.\n`;
    const read = readChangeset('.changeset/a.md', text);
    expect(read).toMatchObject({
      releases: [
        { name: '@bellhop/loop-more', bump: 'minor', line: 3 },
        { name: '@bellhop/loop', bump: 'major', line: 4 },
        { name: 'plain', bump: 'none', line: 5 },
      ],
      summaryAt: text.indexOf('One.'),
    });
  });

  it.each([
    ['', 'file is empty'],
    ['One.', 'missing or invalid frontmatter'],
    ["---\n'a: minor\n---\n", 'unexpected end of the stream'],
    ['---\na: huge\n---\n', 'invalid version type "huge" for package "a"'],
    ['---\n- a\n---\n', 'frontmatter must be an object'],
  ])('%j cannot be read, and says why', (text, reason) => {
    expect(readChangeset('.changeset/a.md', text)).toMatchObject({ unreadable: expect.stringContaining(reason) });
  });
});

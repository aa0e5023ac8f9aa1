import { describe, expect, it } from 'vitest';
import { type Changeset, isReadable, readChangeset } from '../changesets/changeset.js';
import { declaredBreaks } from './breaks.js';

function read(summary: string, bump = 'minor'): Changeset {
  const read = readChangeset('.changeset/a.md', `---\n'@bellhop/store': ${bump}\n---\n\n${summary}\n`);
  if (!isReadable(read)) throw new Error(read.unreadable);
  return read;
}

describe('a break is declared', () => {
  it.each([
    ['**BREAKING**', 5, '**BREAKING**'],
    ['**BREAKING CHANGE: gone.** More.', 5, '**BREAKING CHANGE: gone.**'],
    ['One.\n\n- ***Breaking***: gone', 7, '***Breaking***'],
    ['__breaking__ gone', 5, '__breaking__'],
    ['**API, BREAKING:** gone', 5, '**API, BREAKING:**'],
    ['feat!: gone', 5, 'feat!:'],
    ['One.\n* **fix(store, loop)!: gone**', 6, 'fix(store, loop)!:'],
    ['## refactor!: gone', 5, 'refactor!:'],
  ])('by %j', (summary, line, what) => expect(declaredBreaks(read(summary))).toEqual([{ line, what }]));

  it('by a major bump', () => {
    expect(declaredBreaks(read('One.', 'major'))).toEqual([{ line: 2, what: 'a major bump of @bellhop/store' }]);
  });

  it.each([
    'feat: new',
    'BREAKING in plain words',
    'Prints `**BREAKING**`.',
    '```\nfeat!: gone\n```',
    '<!-- **BREAKING** -->',
    '**nothing breaking**',
    '**NON-BREAKING**',
    '**a** breaking **b**',
    'Say feat!: gone',
    'Look out!: gone',
  ])('not by %j', (summary) => expect(declaredBreaks(read(summary))).toEqual([]));
});

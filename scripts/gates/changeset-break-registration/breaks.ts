// How a changeset declares a break: by a major bump, in bold words, or in the summary as conventional commits write it. Code and comments declare
// nothing.
import type { Changeset } from '../changesets/changeset.js';
import { lineOf } from '../framework/finding.js';
import { blanked, regionsOf } from '../framework/markdown.js';

export interface DeclaredBreak {
  readonly line: number;
  /** As it stands there: `a major bump of @bellhop/store`. */
  readonly what: string;
}

export function declaredBreaks({ text, releases, summaryAt }: Changeset): DeclaredBreak[] {
  const prose = blanked(text, regionsOf(text), ['code block', 'code span', 'comment']);
  const found = (pattern: RegExp) => [...prose.matchAll(pattern)].filter(({ index }) => index >= summaryAt);
  return [
    ...releases.filter(({ bump }) => bump === 'major').map(({ name, line }) => ({ line, what: `a major bump of ${name}` })),
    ...found(/(\*{2,3}|__)(\S(?:[^\n]*?\S)?)\1/g)
      .filter(([, , bold]) => isLabel(bold!))
      .map(({ index, 0: bold }) => ({ line: lineOf(text, index), what: bold })),
    ...found(/^[ \t]*(?:[-*+>][ \t]+|#+[ \t]+|\*\*|__)*([a-z]+(?:\([^)\n]*\))?!:)/gm).map((match) => ({
      line: lineOf(text, match.index),
      what: match[1]!,
    })),
  ];
}

/** In the middle of bold words only capitals are a label: "**nothing breaking in here**" is none. */
function isLabel(bold: string): boolean {
  if (/\b(?:no|non|not|nothing)[ -]breaking\b/i.test(bold)) return false;
  return /^\W*breaking\b/i.test(bold) || /\bBREAKING\b/.test(bold);
}

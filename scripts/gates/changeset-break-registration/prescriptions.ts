// Whether a changeset tells its reader how to migrate: by FROM and TO, by an arrow from one piece of code to another, or in a table. Whoever
// prescribes a migration cannot register the break as one that prescribes none.
import type { Changeset } from '../changesets/changeset.js';
import { lineOf } from '../framework/finding.js';
import { blanked, type Region, regionsOf } from '../framework/markdown.js';

export interface Prescription {
  readonly line: number;
  readonly what: string;
}

export function prescriptionsOf({ text, summaryAt }: Changeset): Prescription[] {
  const regions = regionsOf(text);
  // Front matter and comments prescribe nothing.
  const shown = text.slice(0, summaryAt).replaceAll(/[^\n]/g, ' ') + blanked(text, regions, ['comment']).slice(summaryAt);
  const prose = blanked(shown, regions, ['code block', 'code span']);
  const found = [...labels(shown, 'from', 'to'), ...labels(shown, 'before', 'after'), ...sentence(prose)];
  found.push(...framedArrows(shown), ...arrowsInCode(shown, regions), ...tables(shown));
  return found.map(({ at, what }) => ({ line: lineOf(text, at), what })).sort((a, b) => a.line - b.line);
}

interface Found {
  readonly at: number;
  readonly what: string;
}

/** Both labels, each at the beginning of a line: in capitals, or before a colon. */
function labels(shown: string, first: string, second: string): Found[] {
  const a = labelIn(shown, first);
  const b = labelIn(shown, second);
  return a === undefined || b === undefined
    ? []
    : [{ at: Math.min(a, b), what: `the labels ${first.toUpperCase()} and ${second.toUpperCase()}` }];
}

function labelIn(shown: string, word: string): number | undefined {
  const begin = String.raw`^[ \t>|*+\-/#\d.]*[*_\x60]*`;
  const capitals = new RegExp(String.raw`${begin}${word.toUpperCase()}(?:[*_\x60]+|[ \t]*(?:$|\x60|\|))`, 'm').exec(shown);
  const colon = new RegExp(String.raw`${begin}${word}[*_\x60]*[ \t]*:`, 'im').exec(shown);
  return (colon ?? capitals)?.index;
}

function sentence(prose: string): Found[] {
  const match = /\bFROM\b[^\n]+\bTO\b/.exec(prose);
  return match ? [{ at: match.index, what: 'FROM … TO' }] : [];
}

const ARROW = '[→⇒➜⟶]';

function framedArrows(shown: string): Found[] {
  const frames = ['`[^`\\n]+`', '\\*\\*[^*\\n]+\\*\\*', '"[^"\\n]+"', "'[^'\\n]+'"];
  const pattern = new RegExp(`(?:${frames.join('|')})\\s*(?:${ARROW}|[-=]+>)\\s*(?:${frames.join('|')})`, 'g');
  return [...shown.matchAll(pattern)].map((match) => ({ at: match.index, what: `the rewrite ${match[0].replaceAll(/\s+/g, ' ')}` }));
}

/** `->` and `=>` are code themselves, so only a drawn arrow is a rewrite; behind a comment's mark it tells what a line prints. */
function arrowsInCode(shown: string, regions: readonly Region[]): Found[] {
  const rewrite = new RegExp(`\\S[^\\n]*?(?<!(?://|#)[ \\t]*)${ARROW}[ \\t]*\\S`, 'g');
  return regions.flatMap(({ kind, at, text }) => {
    if (kind !== 'code block' && kind !== 'code span') return [];
    return [...shown.slice(at, at + text.length).matchAll(rewrite)].map((match) => ({
      at: at + match.index,
      what: `the rewrite ${JSON.stringify(`${match[0]}…`)} in code`,
    }));
  });
}

/** A row, and below it the line of dashes that makes it a head. */
function tables(shown: string): Found[] {
  const cell = String.raw`[ \t]*:?-+:?[ \t]*`;
  const dashes = String.raw`[ \t>]*(?:\|${cell}(?:\|${cell})*\|?|${cell}(?:\|${cell})+\|?)`;
  const head = new RegExp(String.raw`\|[^\n]*\n${dashes}[ \t\r]*$`, 'm').exec(shown);
  const html = /<table\b/i.exec(shown);
  return [head, html].flatMap((match) => (match ? [{ at: match.index, what: 'a table' }] : []));
}

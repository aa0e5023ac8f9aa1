// Where a Markdown page holds code, comments and headings. Offsets are those of the page, so whatever is found has a line. It renders nothing and
// knows no links or lists.

export interface Region {
  readonly kind: 'code block' | 'code span' | 'comment' | 'heading';
  /** From the first to behind the last character, marks included. */
  readonly start: number;
  readonly end: number;
  /** Where `text` begins. */
  readonly at: number;
  /** Without its marks. */
  readonly text: string;
}

/**
 * Code blocks (fenced), comments and code spans of a page, in order, none inside another; and its headings, which may hold spans.
 * A fence or a comment that is never closed runs to the end of the page.
 */
export function regionsOf(page: string): Region[] {
  const regions: Region[] = [];
  let at = 0;
  while (at < page.length) {
    const region = fenceAt(page, at) ?? commentAt(page, at) ?? spanAt(page, at);
    if (region) {
      regions.push(region);
      at = region.end;
    } else at += page[at] === '`' ? ticksAt(page, at) : 1;
  }
  const outside = blanked(page, regions, ['code block', 'comment']);
  for (const heading of outside.matchAll(/^ {0,3}#{1,6}[ \t]+(.*)$/gm)) {
    const end = heading.index + heading[0].length;
    const text = page.slice(end - heading[1]!.length, end);
    regions.push({ kind: 'heading', start: heading.index, end, at: end - text.length, text });
  }
  return regions.sort((a, b) => a.start - b.start);
}

/** The page with regions of these kinds replaced by spaces; every other character stays where it was. */
export function blanked(page: string, regions: readonly Region[], kinds: readonly Region['kind'][]): string {
  let text = page;
  for (const { kind, start, end } of regions) {
    if (kinds.includes(kind)) text = text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ') + text.slice(end);
  }
  return text;
}

function fenceAt(page: string, at: number): Region | undefined {
  const lineStart = page.lastIndexOf('\n', at - 1) + 1;
  if (page.slice(lineStart, at).trim() !== '' || (page[at] !== '`' && page[at] !== '~')) return undefined;
  const open = /^(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*(?:\n|$)/.exec(page.slice(at));
  if (!open) return undefined;
  const marks = open[1]!;
  const textAt = at + open[0].length;
  const close = new RegExp(`^[ \\t]*${marks[0]}{${marks.length},}[ \\t\\r]*$`, 'm').exec(page.slice(textAt));
  const textEnd = close ? textAt + close.index : page.length;
  return { kind: 'code block', start: at, end: textEnd + (close?.[0].length ?? 0), at: textAt, text: page.slice(textAt, textEnd) };
}

function commentAt(page: string, at: number): Region | undefined {
  if (!page.startsWith('<!--', at)) return undefined;
  const close = page.indexOf('-->', at + 4);
  const textEnd = close === -1 ? page.length : close;
  return { kind: 'comment', start: at, end: close === -1 ? page.length : close + 3, at: at + 4, text: page.slice(at + 4, textEnd) };
}

/** A span ends at as many backticks as it began with, in the same paragraph. */
function spanAt(page: string, at: number): Region | undefined {
  if (page[at] !== '`') return undefined;
  const ticks = ticksAt(page, at);
  const textAt = at + ticks;
  const paragraphEnd = /\n[ \t\r]*\n|$/.exec(page.slice(textAt))!.index + textAt;
  for (let end = page.indexOf('`', textAt); end !== -1 && end < paragraphEnd; end = page.indexOf('`', end)) {
    const closing = ticksAt(page, end);
    if (closing === ticks) return { kind: 'code span', start: at, end: end + closing, at: textAt, text: page.slice(textAt, end) };
    end += closing;
  }
  return undefined;
}

function ticksAt(page: string, at: number): number {
  let count = 0;
  while (page[at + count] === '`') count += 1;
  return count;
}

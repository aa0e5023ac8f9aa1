// Which pages name what a change touched, page by page, and what of the change no page could be held against.
import type { Finding } from '../framework/finding.js';
import { type Anchor, depthOf } from './declaration.js';
import type { Page } from './page.js';
import { soughtFor } from './sought.js';

export interface Mention {
  readonly name: string;
  readonly line: number;
  /** Everything of that name that the change touched. */
  readonly anchors: readonly Anchor[];
  /** Nothing of that name is left. */
  readonly gone: boolean;
}

export interface Drift {
  readonly path: string;
  /** In the order of the page. */
  readonly mentions: readonly Mention[];
}

/**
 * Pages that name at least one of the anchors.
 *
 * @param isLeft whether the sources still hold a word after the change: a field that leaves one interface may stay in others.
 */
export function driftOf(pages: readonly Page[], anchors: readonly Anchor[], isLeft: (word: string) => boolean): Drift[] {
  const sought = anchors.map((anchor) => ({ anchor, by: soughtFor(anchor) }));
  return pages.flatMap(({ path, lineNaming }) => {
    const mentions = new Map<string, { name: string; line: number; word: boolean; anchors: Anchor[] }>();
    for (const { anchor, by } of sought) {
      const line = lineNaming(by);
      if (line === undefined) continue;
      // `kernel.start` and `loop.start` are not one name.
      const name = by.by === 'member' ? `${anchor.owner}.${anchor.name}` : anchor.name;
      const mention = mentions.get(name);
      if (mention) mention.anchors.push(anchor);
      else mentions.set(name, { name, line, word: by.by === 'word', anchors: [anchor] });
    }
    const inOrder = [...mentions.values()]
      .sort((a, b) => a.line - b.line)
      .map(({ word, ...mention }) => ({
        ...mention,
        gone: mention.anchors.every(({ state }) => state === 'removed') && !(word && isLeft(mention.name)),
      }));
    return inOrder.length === 0 ? [] : [{ path, mentions: inOrder }];
  });
}

/** Names that no page is searched for. */
export function tooGeneric(anchors: readonly Anchor[]): string[] {
  return [...new Set(anchors.filter((anchor) => soughtFor(anchor).by === 'nothing').map(({ name }) => name))].sort();
}

/** Names that a page is told of, at most; the rest is counted. */
const LISTED = 8;

export function driftFinding({ path, mentions }: Drift): Finding {
  // What is gone is wrong wherever it is named.
  const gone = mentions.filter((mention) => mention.gone);
  const listed = [...gone, ...mentions.filter((mention) => !mention.gone)].slice(0, LISTED);
  const more = mentions.length - listed.length;
  return {
    file: path,
    line: listed[0]!.line,
    what:
      `names ${mentions.length === 1 ? 'a thing' : `${mentions.length} things`} that the change touches` +
      (gone.length === 0 ? '' : `, ${gone.length} of them gone`) +
      listed.map((mention) => `\n    ${mention.line}: \`${mention.name}\`, ${because(mention)}`).join('') +
      (more > 0 ? `\n    and ${more} more` : ''),
    mend: 'read these lines against the change; mend what is no longer so, and leave what still is',
  };
}

function because({ anchors, gone }: Mention): string {
  const { kind, path, line, state } = anchors.reduce((best, each) => (depthOf(each) < depthOf(best) ? each : best));
  const more = anchors.length - 1;
  const where = state === 'removed' ? `${gone ? 'gone' : 'removed'} from ${path}` : `${state} in ${path}:${line}`;
  return `${kind}, ${where}${more === 0 ? '' : `, and ${more} more of that name`}`;
}

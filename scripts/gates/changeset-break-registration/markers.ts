// The registration marker of a break: an HTML comment `<!-- break: <category> … -->` in the changeset. The categories are a closed set; what else
// begins like a marker is one that cannot be read.
import type { Changeset } from '../changesets/changeset.js';
import { lineOf } from '../framework/finding.js';
import { regionsOf } from '../framework/markdown.js';

export type Registration =
  | { readonly category: 'adr'; readonly number: string }
  | { readonly category: 'unpublished' }
  | { readonly category: 'no-migration-prescription' }
  | { readonly category: 'types-only'; readonly symbols: readonly { readonly path: string; readonly symbol: string }[] };

export interface Marker {
  readonly line: number;
  /** Between the comment's marks. */
  readonly text: string;
  /** Undefined where it cannot be read. */
  readonly registration: Registration | undefined;
}

/** For messages: what may be written. */
export const MARKER_FORMS = [
  '<!-- break: adr NNNN -->',
  '<!-- break: unpublished -->',
  '<!-- break: no-migration-prescription -->',
  '<!-- break: types-only path#Symbol -->',
] as const;

/** A marker inside of code is an example. */
export function markersOf({ text }: Changeset): Marker[] {
  return regionsOf(text)
    .filter(({ kind, text }) => kind === 'comment' && beginsLikeMarker(text))
    .map(({ start, text: comment }) => ({
      line: lineOf(text, start),
      text: comment.trim().replaceAll(/\s+/g, ' '),
      registration: registrationOf(comment),
    }));
}

function beginsLikeMarker(comment: string): boolean {
  return /^\s*(?:break(?:s|ing)?\s*[:=]|break\s+(?:adr|unpublished|no-migration|types-only))/i.test(comment);
}

/** What follows a dash is a note to the reader. */
function registrationOf(comment: string): Registration | undefined {
  const claim = comment.replace(/\s[—–]\s.*$/s, '').trim();
  const [, category, rest = ''] = /^break:\s*([a-z-]+)\s*(.*)$/s.exec(claim) ?? [];
  switch (category) {
    case 'adr':
      return /^\d{4}$/.test(rest) ? { category, number: rest } : undefined;
    case 'unpublished':
    case 'no-migration-prescription':
      return rest === '' ? { category } : undefined;
    case 'types-only': {
      const symbols = rest.split(/[\s,]+/).map((each) => /^([^#\s]+)#([A-Za-z_$][\w$]*)$/.exec(each));
      return symbols.every((each) => each !== null)
        ? { category, symbols: symbols.map((each) => ({ path: each[1]!, symbol: each[2]! })) }
        : undefined;
    }
    default:
      return undefined;
  }
}

// What a changeset says: packages with their bumps, and a text for whoever upgrades. What is read here is what changesets itself reads, by its
// own parser; a file that it refuses is kept with the reason, so that no gate takes it for one that says nothing.
import parse from '@changesets/parse';
import { lineOf } from '../framework/finding.js';

export type Bump = 'major' | 'minor' | 'patch' | 'none';

export interface Release {
  readonly name: string;
  readonly bump: Bump;
  /** Where the file names the package. */
  readonly line: number;
}

export interface Changeset {
  readonly path: string;
  /** The whole file. */
  readonly text: string;
  readonly releases: readonly Release[];
  /** Where the summary begins in `text`; it runs to the end. */
  readonly summaryAt: number;
}

export interface UnreadableChangeset {
  readonly path: string;
  readonly unreadable: string;
}

/** As changesets itself tells them: Markdown in its folder, the README and hidden files apart. */
export function isChangesetPath(path: string): boolean {
  const name = /^\.changeset\/([^/.][^/]*\.md)$/.exec(path)?.[1];
  return name !== undefined && !/^readme\.md$/i.test(name);
}

export function readChangeset(path: string, text: string): Changeset | UnreadableChangeset {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(text);
  } catch (error) {
    return { path, unreadable: reasonOf((error as Error).message) };
  }
  const summaryAt = text.trimEnd().length - parsed.summary.length;
  return {
    path,
    text,
    summaryAt,
    releases: parsed.releases.map(({ name, type }) => ({ name, bump: type, line: lineOf(text, nameAt(text.slice(0, summaryAt), name)) })),
  };
}

export function isReadable(read: Changeset | UnreadableChangeset): read is Changeset {
  return !('unreadable' in read);
}

/** The parser's message holds the whole file; its first line and the YAML error say why. */
function reasonOf(message: string): string {
  const lines = message.split('\n');
  const yaml = lines.find((line) => line.startsWith('YAML error: '));
  return (yaml ?? lines[0]!).replace(/^could not parse changeset - |^YAML error: /, '').replace(/[.:]$/, '');
}

function nameAt(front: string, name: string): number {
  const entry = new RegExp(`^[ \\t{,]*["']?${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}["']?[ \\t]*:`, 'm').exec(front);
  return entry ? entry.index + entry[0].indexOf(name) : Math.max(0, front.indexOf(name));
}

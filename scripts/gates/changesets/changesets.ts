// The changesets that a change touches, and those that wait for a release after it.
import type { Change, Diff, Tree } from '../framework/diff.js';
import type { Finding } from '../framework/finding.js';
import { type Changeset, isChangesetPath, isReadable, readChangeset, type UnreadableChangeset } from './changeset.js';

export interface TouchedChangeset {
  readonly kind: 'added' | 'modified' | 'renamed';
  /** The base's version of it; undefined where it had none, or none that can be read. */
  readonly before: Changeset | undefined;
  readonly after: Changeset | UnreadableChangeset;
}

/** Added, modified and renamed changesets. A deleted one has been released or withdrawn, and says nothing any more. */
export function touchedChangesets(diff: Pick<Diff, 'changes' | 'before' | 'after'>): TouchedChangeset[] {
  return diff.changes.flatMap((change) => {
    if (change.kind === 'deleted' || !isChangesetPath(change.path)) return [];
    const text = diff.after(change) ?? '';
    const renamed = change.kind === 'added' ? renamedUntracked(diff, text) : undefined;
    const earlier = renamed ?? change;
    const before = isChangesetPath(earlier.from ?? earlier.path) ? diff.before(earlier) : undefined;
    const read = before === undefined ? undefined : readChangeset(change.path, before);
    return [
      {
        kind: renamed ? 'renamed' : change.kind,
        before: read && isReadable(read) ? read : undefined,
        after: readChangeset(change.path, text),
      },
    ];
  });
}

/** Git does not pair a file it does not track yet with the one that is gone: the same text under another name is a rename. */
function renamedUntracked(diff: Pick<Diff, 'changes' | 'before'>, text: string): Change | undefined {
  return diff.changes.find((gone) => gone.kind === 'deleted' && isChangesetPath(gone.path) && diff.before(gone) === text);
}

/** Every changeset that the next release will take, whether the change touches it or not. */
export function pendingChangesets(tree: Tree): (Changeset | UnreadableChangeset)[] {
  const { released } = preReleaseOf(tree);
  return tree
    .files()
    .filter((path) => isChangesetPath(path) && !released.has(path))
    .map((path) => readChangeset(path, tree.read(path) ?? ''));
}

export interface PreRelease {
  /** Versions are pre-releases: breaks are what it is for. */
  readonly active: boolean;
  /** Paths of changesets that a pre-release has taken; they stay until the release itself. */
  readonly released: ReadonlySet<string>;
}

/** Throws where `.changeset/pre.json` cannot be read. */
export function preReleaseOf(tree: Tree): PreRelease {
  const text = tree.read('.changeset/pre.json');
  if (text === undefined) return { active: false, released: new Set() };
  let read: { mode?: unknown; changesets?: unknown } | null;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`.changeset/pre.json is no JSON (${(error as Error).message}). Restore it from the base, or leave pre-release mode.`);
  }
  const names = read?.changesets;
  if ((read?.mode !== 'pre' && read?.mode !== 'exit') || !Array.isArray(names)) {
    throw new Error(
      '.changeset/pre.json must have a mode ("pre" or "exit") and a list of changesets. Restore it from the base, or leave pre-release mode.',
    );
  }
  return { active: read.mode === 'pre', released: new Set(names.map((name) => `.changeset/${name}.md`)) };
}

/** For gates that judge what a changeset says: one that cannot be read may say anything. */
export function unreadableFindings(touched: readonly TouchedChangeset[]): Finding[] {
  return touched.flatMap(({ after }) => (isReadable(after) ? [] : [unreadableFinding(after)]));
}

function unreadableFinding({ path, unreadable }: UnreadableChangeset): Finding {
  return {
    file: path,
    line: 1,
    what: `cannot be read as a changeset: ${unreadable}`,
    mend: 'begin it with "---", a line such as "\'@bellhop/store\': minor" for each package, and "---"; then say what changed (npx pnpm changeset makes one)',
  };
}

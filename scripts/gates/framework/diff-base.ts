// From which commit a change is measured. A diff starts at the merge base, so what others landed meanwhile is not taken for part of it.
// The base is never the head itself: compared with itself everything is clean.
import { UsageError } from './refusals.js';
import type { Repository } from './repository.js';

/** The tree without a file, which every git repository knows: everything differs from it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export interface DiffBase {
  /** Where the diff starts: a commit, or the empty tree. */
  readonly start: string;
  /** For the reader: which base was taken, and why. */
  readonly said: string;
  /** Whether the caller named it (`--base` or `CI_BASE`). */
  readonly explicit: boolean;
}

/** What a release is tagged as: `v1.2.3`, or `@bellhop/kernel@1.2.3` as changesets tags packages. */
const RELEASE_TAG = /^(?:v|@?[a-z0-9/-]+@)\d+\.\d+\.\d+/;

/**
 * `--base`, else `CI_BASE`, else the newest release tag that is not the head, else the empty tree.
 * A `--base` that names no commit, or names the head, is refused; a `CI_BASE` that names the head is passed over.
 */
export function resolveBase(
  repository: Repository,
  {
    base,
    head = 'HEAD',
    environment = process.env,
  }: { base?: string | undefined; head?: string | undefined; environment?: NodeJS.ProcessEnv } = {},
): DiffBase {
  const headCommit = repository.commit(head);
  if (headCommit === undefined)
    throw new UsageError(`The head ${JSON.stringify(head)} names no commit here. Give one that git rev-parse knows.`);

  if (base !== undefined) {
    const start = commitNamed(repository, base, '--base');
    if (start === headCommit) {
      throw new UsageError(
        `--base ${base} is the head itself (${short(start)}): nothing can differ. Name the commit that the change started from.`,
      );
    }
    return mergeBase(repository, start, headCommit, `--base ${base}`);
  }

  const ciBase = environment.CI_BASE;
  if (ciBase) {
    const start = commitNamed(repository, ciBase, 'CI_BASE');
    if (start !== headCommit) return mergeBase(repository, start, headCommit, `CI_BASE ${ciBase}`);
  }

  for (const tag of repository.git('tag', '--list', '--merged', headCommit, '--sort=-creatordate').split('\n')) {
    if (!RELEASE_TAG.test(tag)) continue;
    const start = repository.commit(tag);
    if (start !== undefined && start !== headCommit) return { start, said: `${short(start)} (newest release, ${tag})`, explicit: false };
  }
  return { start: EMPTY_TREE, said: 'the empty tree (no base given, no release tagged)', explicit: false };
}

function commitNamed(repository: Repository, name: string, from: string): string {
  const commit = repository.commit(name);
  if (commit === undefined) {
    throw new UsageError(
      `${from} ${JSON.stringify(name)} names no commit here. Give a commit, tag or branch that this clone holds (fetch it first).`,
    );
  }
  return commit;
}

function mergeBase(repository: Repository, base: string, head: string, from: string): DiffBase {
  let start: string;
  try {
    start = repository.git('merge-base', base, head).trim();
  } catch {
    throw new UsageError(
      `${from} (${short(base)}) shares no history with the head ${short(head)}. A shallow clone needs git fetch --unshallow.`,
    );
  }
  return { start, said: `${short(start)} (merge base of ${from} and the head)`, explicit: true };
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

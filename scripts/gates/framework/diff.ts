// What a change touches, from the merge base to the head: to the working tree, files not yet committed included, unless a head is named.
import type { DiffBase } from './diff-base.js';
import { EMPTY_TREE, resolveBase } from './diff-base.js';
import { NotMeasuredError } from './refusals.js';
import type { Repository } from './repository.js';

export interface Change {
  readonly kind: 'added' | 'modified' | 'renamed' | 'deleted';
  readonly path: string;
  /** Where a renamed file was: its earlier text is read there. */
  readonly from?: string;
}

export interface Diff {
  readonly base: DiffBase;
  readonly changes: readonly Change[];
  /** The text before the change; undefined for an added file. */
  before(change: Change): string | undefined;
  /** The text after the change; undefined for a deleted file. */
  after(change: Change): string | undefined;
  /** All that is there after the change, for what a gate reads beside it. */
  readonly head: Tree;
}

export interface Tree {
  /** Sorted paths; those of the working tree include files not committed yet. */
  files(): readonly string[];
  /** Undefined where there is no such file. */
  read(path: string): string | undefined;
}

/** Throws `NotMeasuredError` on an empty diff whose base nobody named: nothing was looked at, which is no pass. */
export function readDiff(
  repository: Repository,
  options: { base?: string | undefined; head?: string | undefined; environment?: NodeJS.ProcessEnv } = {},
): Diff {
  const base = resolveBase(repository, options);
  const head = options.head === undefined ? undefined : repository.commit(options.head);
  const range = head === undefined ? [base.start] : [base.start, head];
  const changes = parseNameStatus(repository.git('diff', '--name-status', '-z', '--find-renames', ...range));
  if (head === undefined) {
    for (const path of repository.git('ls-files', '--others', '--exclude-standard', '-z').split('\0')) {
      if (path !== '') changes.push({ kind: 'added', path });
    }
  }
  if (changes.length === 0 && !base.explicit) {
    throw new NotMeasuredError(`Nothing differs from ${base.said}. Name the commit that the change started from: --base <commit>.`);
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    base,
    changes,
    before: (change) =>
      base.start === EMPTY_TREE || change.kind === 'added' ? undefined : repository.read(change.from ?? change.path, base.start),
    after: (change) => (change.kind === 'deleted' ? undefined : repository.read(change.path, head)),
    head: { files: () => repository.files(head), read: (path) => repository.read(path, head) },
  };
}

/** Reads `git diff --name-status -z`. A copy counts as added, a change of type as modified. */
export function parseNameStatus(text: string): Change[] {
  const fields = text.split('\0');
  const changes: Change[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const status = fields[at]!;
    const path = fields[at + 1]!;
    if (status.startsWith('R') || status.startsWith('C')) {
      const to = fields[at + 2]!;
      changes.push(status.startsWith('R') ? { kind: 'renamed', path: to, from: path } : { kind: 'added', path: to });
      at += 3;
      continue;
    }
    const kind = ({ A: 'added', M: 'modified', T: 'modified', D: 'deleted' } as const)[status];
    if (kind === undefined)
      throw new Error(`git reports ${path} as ${JSON.stringify(status)}, which no gate can read. Settle the merge first.`);
    changes.push({ kind, path });
    at += 2;
  }
  return changes;
}

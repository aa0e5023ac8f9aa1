// What an ablation asks git: hashes of one file, and the state of the whole tree. Only reads: never writes the index, the tree or a ref.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** What `git status` and `git diff` say of a tree, to be compared before and after. */
export interface TreeState {
  readonly head: string;
  readonly status: string;
  /** Of the whole diff to HEAD: status says *that* a file differs, this says how. */
  readonly diff: string;
}

/** Set by git for its hooks; they would send every command below to another repository or index. */
const FOREIGN = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_OBJECT_DIRECTORY'];
const BLOB = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** @param root an absolute path. @returns standard output. @throws with what git wrote to standard error. */
export function git(root: string, args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], {
    encoding: 'utf8',
    env: gitEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
}

export function gitEnvironment(): NodeJS.ProcessEnv {
  // Without optional locks `git status` leaves the index as it is.
  const env: NodeJS.ProcessEnv = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  for (const name of FOREIGN) delete env[name];
  return env;
}

/** The blob hash of the file as it lies on disk. Never empty. */
export function blobHash(root: string, file: string): string {
  return checkedHash(git(root, ['hash-object', '--', file]), `git hash-object ${file}`);
}

/** The blob hash of the file in HEAD; undefined when HEAD does not have it. */
export function headHash(root: string, file: string): string | undefined {
  if (git(root, ['ls-tree', '--name-only', 'HEAD', '--', file]).trim() === '') return undefined;
  return checkedHash(git(root, ['rev-parse', `HEAD:${file}`]), `git rev-parse HEAD:${file}`);
}

export function headCommit(root: string): string {
  return checkedHash(git(root, ['rev-parse', 'HEAD']), 'git rev-parse HEAD');
}

/** What HEAD does not hold of the code: changed files of any kind in `packages`, `scripts` and the root, untracked ones included. */
export function uncommitted(root: string): string[] {
  const lines = git(root, ['status', '--porcelain', '--untracked-files=all', '--no-renames', '-z']).split('\0');
  return lines.filter((line) => /^(?:(?:packages|scripts)\/|[^/]+$)/.test(line.slice(3)));
}

export function treeState(root: string): TreeState {
  return {
    head: headCommit(root),
    status: git(root, ['status', '--porcelain', '--untracked-files=all']),
    diff: createHash('sha256')
      .update(git(root, ['diff', 'HEAD', '--binary', '--no-ext-diff', '--no-textconv']))
      .digest('hex'),
  };
}

export function sameState(a: TreeState, b: TreeState): boolean {
  return a.head === b.head && a.status === b.status && a.diff === b.diff;
}

/** The lines of status that only one of the two has. */
export function statusDifference(before: TreeState, after: TreeState): string {
  const [old, current] = [before, after].map(({ status }) => new Set(status.split('\n').filter(Boolean)));
  const lines = [
    ...[...current!].filter((line) => !old!.has(line)).map((line) => `appeared: ${line}`),
    ...[...old!].filter((line) => !current!.has(line)).map((line) => `is gone: ${line}`),
  ];
  if (lines.length > 0) return lines.join('; ');
  return before.head === after.head ? 'a file that was changed already changed further' : `HEAD moved from ${before.head} to ${after.head}`;
}

/** An empty answer compared with an empty answer would prove anything. */
function checkedHash(output: string, command: string): string {
  const hash = output.trim();
  if (!BLOB.test(hash)) throw new Error(`${command} answered ${JSON.stringify(hash)}, which is no hash.`);
  return hash;
}

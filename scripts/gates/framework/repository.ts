// Reads a git repository: files at a commit, files of the working tree, what differs. It never writes, and a git command that fails throws:
// an answer that git did not give is never taken for an empty one.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export class Repository {
  constructor(readonly root: string) {}

  /** The output of a git command. Throws with git's own words when it fails. */
  git(...args: readonly string[]): string {
    const { status, stdout, stderr, error } = spawnSync('git', args, {
      cwd: this.root,
      encoding: 'utf8',
      maxBuffer: 512 * 1024 * 1024,
      // Whatever a hook or an outer git command has set would point elsewhere.
      env: { ...process.env, GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, LC_ALL: 'C' },
    });
    if (error || status !== 0) throw new Error(`git ${args.join(' ')} failed in ${this.root}: ${error?.message ?? stderr.trim()}`);
    return stdout;
  }

  /** The commit that a name stands for, or undefined where it names none. */
  commit(name: string): string | undefined {
    try {
      return this.git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`).trim() || undefined;
    } catch {
      return undefined;
    }
  }

  /** The text of a file at a commit, or of the working tree where none is given; undefined where it is not there. */
  read(path: string, commit?: string): string | undefined {
    if (commit !== undefined) {
      if (this.git('ls-tree', '--name-only', '-z', commit, '--', path) === '') return undefined;
      return this.git('show', `${commit}:${path}`);
    }
    try {
      return readFileSync(join(this.root, path), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Every file of a commit; of the working tree, those not committed yet included, ignored ones out, where none is given. Sorted. */
  files(commit?: string): string[] {
    const listed =
      commit === undefined
        ? this.git('ls-files', '--cached', '--others', '--exclude-standard', '-z')
        : this.git('ls-tree', '-r', '--name-only', '-z', commit);
    const paths = new Set(listed.split('\0').filter((path) => path !== ''));
    if (commit === undefined) for (const path of this.git('ls-files', '--deleted', '-z').split('\0')) paths.delete(path);
    return [...paths].sort();
  }
}

// A real git repository for one case of a self-test: a base, a change, and a control that git shows the change in the shape the case is about.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExitCode } from './exit-codes.js';
import type { SelfTestCase, SelfTestTools } from './gate.js';
import type { Repository } from './repository.js';

/** Texts by path; null deletes the file. */
export type Files = Readonly<Record<string, string | null>>;

/** Texts of their own, or made of the real sources of the checkout. */
export type CaseFiles = Files | ((checkout: Repository) => Files);

export interface RepositoryCase {
  readonly name: string;
  readonly expect: ExitCode;
  /** The tree before the change. */
  readonly base: CaseFiles;
  /** What the change writes and deletes. */
  readonly change: CaseFiles;
  /** The control: lines of `git diff --name-status` that must be there (`A\tpath`, `M\tpath`, `D\tpath`, `R\told → new`), or the case shows nothing. */
  readonly shape: readonly string[];
  /** What the gate must have printed. */
  readonly says?: RegExp;
  /**
   * How the change lies there: `committed` on top of the base (the default); `merged`, as a merge request is checked, by a merge commit with a
   * base that has moved on; `behind` such a base, not merged yet; `uncommitted` in the working tree.
   */
  readonly as?: 'committed' | 'merged' | 'behind' | 'uncommitted';
  /** What the base gained meanwhile, where it moved on. */
  readonly meanwhile?: Files;
  /** Puts beside the committed files what git ignores there: installed dependencies, say. */
  readonly setUp?: (folder: string, checkout: Repository) => void;
  /** Arguments of the gate; `--base base`, the tag of the base, unless given. */
  readonly args?: readonly string[];
}

export function repositoryCase(options: RepositoryCase): SelfTestCase {
  return {
    name: options.name,
    expect: options.expect,
    async run(tools: SelfTestTools) {
      const { folder, checkout } = tools;
      const textsOf = (files: CaseFiles) => (typeof files === 'function' ? files(checkout) : files);
      const change = textsOf(options.change);
      const repository = new TemporaryRepository(folder);
      repository.commit(textsOf(options.base), 'base');
      options.setUp?.(folder, checkout);
      repository.git('tag', 'base');
      if (options.as === 'uncommitted') {
        // A base that is the head itself is refused.
        repository.commit({}, 'head');
        repository.write(change);
      } else if (options.as === 'merged' || options.as === 'behind') {
        repository.git('checkout', '-q', '-b', 'topic');
        repository.commit(change, 'change');
        repository.git('checkout', '-q', 'main');
        repository.commit(options.meanwhile ?? { 'meanwhile.txt': 'landed meanwhile\n' }, 'meanwhile');
        repository.git('tag', '-f', 'base');
        repository.git('checkout', '-q', '--detach', options.as === 'merged' ? 'main' : 'topic');
        if (options.as === 'merged') repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'topic');
      } else repository.commit(change, 'change');

      const shown = repository.shape();
      const absent = options.shape.filter((line) => !shown.includes(line));
      if (absent.length > 0) throw new Error(`the case is not what it says: git shows\n${shown.join('\n')}\nand not\n${absent.join('\n')}`);

      const ended = await tools.runGate(folder, options.args ?? ['--base', 'base']);
      if (options.says && !options.says.test(ended.output)) throw new Error(`the gate did not say ${options.says}, but:\n${ended.output}`);
      return ended;
    },
  };
}

export class TemporaryRepository {
  constructor(readonly root: string) {
    mkdirSync(root, { recursive: true });
    this.git('init', '-q', '-b', 'main');
    // Written, not set by git: a process each would be a good part of what a case costs.
    appendFileSync(
      join(root, '.git/config'),
      '[user]\n\tname = gate\n\temail = gate@example.invalid\n[commit]\n\tgpgsign = false\n[core]\n\thooksPath = /dev/null\n',
    );
  }

  git(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: this.root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
    return stdout;
  }

  write(files: Files): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.root, path);
      if (text === null) {
        rmSync(file);
        continue;
      }
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  commit(files: Files, message: string): void {
    this.write(files);
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
  }

  /** What differs since the change left the tag `base`, files not yet committed included. */
  shape(): string[] {
    const start = this.git('merge-base', 'base', 'HEAD').trim();
    const fields = this.git('diff', '--name-status', '--find-renames', start).split('\n').filter(Boolean);
    const untracked = this.git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);
    return [...fields.map((line) => line.replace(/^R\d+\t(.*)\t(.*)$/, 'R\t$1 → $2')), ...untracked.map((path) => `A\t${path}`)];
  }
}

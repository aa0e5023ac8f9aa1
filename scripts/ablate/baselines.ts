// Outcomes of test files on the unmutated tree. A file that ran on this very state of the tree needs not run again for the next entry: every
// restore is proven by hash, so the state is the same one.

import type { Run, TestOutcome } from './evidence.js';
import { sameState, type TreeState } from './git.js';

export class Baselines {
  readonly #files = new Map<string, readonly TestOutcome[]>();
  #state: TreeState | undefined;

  /** Runs those of the files that have not been seen green on this state. @param run runs test files. */
  async of(files: readonly string[], state: TreeState, run: (files: readonly string[]) => Promise<Run>): Promise<Run> {
    if (!this.#state || !sameState(this.#state, state)) this.#files.clear();
    this.#state = state;
    const unseen = files.filter((file) => !this.#files.has(file));
    if (unseen.length === 0) return { tests: this.#known(files), faults: [], durationMs: 0 };
    const fresh = await run(unseen);
    const known = this.#known(files.filter((file) => !unseen.includes(file)));
    this.#keep(unseen, fresh);
    return { ...fresh, tests: [...known, ...fresh.tests] };
  }

  #known(files: readonly string[]): TestOutcome[] {
    return files.flatMap((file) => this.#files.get(file) ?? []);
  }

  /** Only what is fit to be compared with: a run with faults is asked for again. */
  #keep(files: readonly string[], { tests, faults }: Run): void {
    if (faults.length > 0) return;
    for (const file of files) {
      const own = tests.filter((test) => test.file === file);
      if (own.every(({ status }) => status !== 'failed')) this.#files.set(file, own);
    }
  }
}

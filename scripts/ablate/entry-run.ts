// One ablation, from the check that its target is clean to the proof that it is clean again. Between mutation and restore the tree is wrong:
// whatever happens there, an exception or a signal, ends in the restore, and a kill in the journal that the next run reads.

import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Ablation, ruleOf } from './ablation.js';
import { Baselines } from './baselines.js';
import type { Run } from './evidence.js';
import { blobHash, git, headHash, sameState, statusDifference, type TreeState, treeState } from './git.js';
import { restoreAtEnd } from './interruption.js';
import { Journal, type JournalRecord, RestoreUnproven } from './journal.js';
import { type Mutation, mutate, NoMutation } from './mutation.js';
import { replaceBytes } from './source-file.js';
import { passingFolder } from './state-folder.js';
import { type Comparison, compare, difference, EXIT_CODES, type Fallen, isProved, judgeGreen, type Verdict } from './verdict.js';
import { runVitest } from './vitest-run.js';

/** The tree that entries are run on, one after the other. */
export interface Tree {
  /** Absolute, without links. */
  readonly root: string;
  readonly journal: Journal;
  readonly baselines: Baselines;
  readonly scratch: string;
  readonly maxWorkers?: number | undefined;
  /** Says what is going on. */
  log(line: string): void;
}

export interface EntryResult {
  readonly id: string;
  readonly rule: string;
  readonly why: string;
  readonly file: string;
  readonly expected: readonly string[];
  readonly observed: readonly Fallen[];
  readonly missing: readonly string[];
  readonly extra: readonly Fallen[];
  /** Why the verdict is not `proved`, besides `missing` and `extra`. */
  readonly reasons: readonly string[];
  /** Blob hashes of the file. */
  readonly hashes: { readonly before?: string; readonly mutant?: string; readonly after?: string };
  readonly exit: number;
  readonly verdict: Verdict;
  readonly durations: { readonly baselineMs: number; readonly mutantMs: number; readonly restorationMs: number; readonly totalMs: number };
}

/** A tree to run entries on. @param folder private, outside of the tree. */
export function treeAt(root: string, folder: string, options: Pick<Tree, 'log' | 'maxWorkers'> & Partial<Pick<Tree, 'baselines'>>): Tree {
  return { baselines: new Baselines(), ...options, root, journal: new Journal(folder), scratch: passingFolder(join(folder, 'scratch')) };
}

/** Takes the baselines of many test files in one run, which costs half of what a run for each entry does. A file that is not green is left to its entries. */
export async function seeGreen(tree: Tree, files: readonly string[]): Promise<void> {
  const present = files.filter((file) => lstatSync(join(tree.root, file), { throwIfNoEntry: false })?.isFile());
  if (present.length === 0) return;
  await tree.baselines.of(present, treeState(tree.root), (unseen) => runTests(tree, unseen, 'all entries: before their mutations'));
}

/** Undoes what a killed run left. @returns what was done, in a sentence; undefined when there was nothing. @throws RestoreUnproven */
export function restoreLeftover({ journal, root }: Pick<Tree, 'journal' | 'root'>): string | undefined {
  const record = journal.pending();
  if (!record) return undefined;
  const undone = journal.restore(record);
  journal.close();
  const file = record.path.startsWith(root + sep) ? record.path.slice(root.length + 1) : record.path;
  return undone
    ? `A killed run left ablation ${record.id} in ${file}: restored.`
    : `A killed run left the journal of ablation ${record.id}; ${file} holds what it held before.`;
}

/** One entry, from start to end. */
export async function runEntry(entry: Ablation, tree: Tree): Promise<EntryResult> {
  const begun = await beginEntry(entry, tree);
  if (!begun.restored) return begun.finish(undefined);
  return begun.finish(await runAgain(tree, entry.tests, `${entry.id}: after the restore`));
}

/** An entry whose target is restored: what is missing is the run that shows its tests green again. */
export interface BegunEntry {
  readonly entry: Ablation;
  /** False: it ended before its tests could be asked for again, and `finish` takes no run. */
  readonly restored: boolean;
  /** @param again of at least the entry's tests, on the restored tree. */
  finish(again: RunAgain | undefined): EntryResult;
}

/** A run after restores, with what the tree was once it had ended. */
export interface RunAgain {
  readonly run: Run;
  readonly state: TreeState;
}

/** Shows tests green again, of one entry or of many. */
export async function runAgain(tree: Tree, files: readonly string[], what: string): Promise<RunAgain> {
  const run = await runTests(tree, files, what);
  return { run, state: treeState(tree.root) };
}

export async function beginEntry(entry: Ablation, tree: Tree): Promise<BegunEntry> {
  const started = performance.now();
  const attempt = new Attempt(entry, tree);
  const { end, baseline } = await attempt.run();
  const spentMs = performance.now() - started;
  return {
    entry,
    restored: baseline !== undefined,
    finish(again) {
      const { verdict, reasons, comparison } = baseline && again ? attempt.judgeRestoration(end, baseline, again) : end;
      return {
        id: entry.id,
        rule: ruleOf(entry),
        why: entry.why,
        file: entry.file,
        expected: entry.red,
        observed: comparison?.observed ?? [],
        missing: comparison?.missing ?? [],
        extra: comparison?.extra ?? [],
        reasons,
        hashes: attempt.hashes,
        exit: EXIT_CODES[verdict],
        verdict,
        durations: { ...attempt.durations, totalMs: Math.round(spentMs + attempt.durations.restorationMs) },
      };
    },
  };
}

/** Runs test files of the tree as it is. */
function runTests({ root, scratch, maxWorkers, log }: Tree, files: readonly string[], what: string): Promise<Run> {
  log(`${what}, ${files.length === 1 ? '1 test file' : `${files.length} test files`}`);
  return runVitest(files, { root, scratch, maxWorkers });
}

/** The result of an entry that nobody got to. */
export function notRun(entry: Ablation, reason: string): EntryResult {
  return {
    id: entry.id,
    rule: ruleOf(entry),
    why: entry.why,
    file: entry.file,
    expected: entry.red,
    observed: [],
    missing: [],
    extra: [],
    reasons: [reason],
    hashes: {},
    exit: EXIT_CODES['not measured'],
    verdict: 'not measured',
    durations: { baselineMs: 0, mutantMs: 0, restorationMs: 0, totalMs: 0 },
  };
}

interface End {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  readonly comparison?: Comparison;
}

class Attempt {
  readonly hashes: { before?: string; mutant?: string; after?: string } = {};
  readonly durations = { baselineMs: 0, mutantMs: 0, restorationMs: 0 };
  readonly #entry: Ablation;
  readonly #tree: Tree;
  readonly #path: string;
  #state: TreeState | undefined;

  constructor(entry: Ablation, tree: Tree) {
    this.#entry = entry;
    this.#tree = tree;
    this.#path = join(tree.root, entry.file);
  }

  /** Up to the restore. @returns the baseline only where the tests have to be shown green again. */
  async run(): Promise<{ end: End; baseline?: Run }> {
    const { root, baselines } = this.#tree;
    const notClean = this.#notClean();
    if (notClean !== undefined) return { end: { verdict: 'refused', reasons: [notClean] } };
    const state = treeState(root);
    const source = readFileSync(this.#path);
    let mutation: Mutation;
    try {
      mutation = mutate(this.#entry, source);
    } catch (error) {
      if (error instanceof NoMutation) return { end: { verdict: 'not measured', reasons: [error.message] } };
      throw error;
    }
    const baseline = await baselines.of(this.#entry.tests, state, (files) => this.#vitest(files, 'before the mutation'));
    this.durations.baselineMs = baseline.durationMs;
    const red = judgeGreen(this.#entry, baseline).map((fault) => `baseline: ${fault}`);
    if (red.length > 0) return { end: { verdict: 'refuted', reasons: red } };

    const { run, unproven } = await this.#runMutated(source, mutation.mutant, state);
    this.durations.mutantMs = run.durationMs;
    this.#state = state;
    const comparison = compare(this.#entry, baseline.tests, run);
    const faults = comparison.faults.map((fault) => `not evidence: ${fault}`);
    if (unproven !== undefined) return { end: { verdict: 'restore unproven', reasons: [unproven, ...faults], comparison } };
    return { end: { verdict: isProved(comparison) ? 'proved' : 'refuted', reasons: faults, comparison }, baseline };
  }

  /** What the run after the restore makes of the verdict. Other entries' tests in it are none of this one's business. */
  judgeRestoration(end: End, baseline: Run, { run: again, state }: RunAgain): End {
    this.durations.restorationMs = again.durationMs;
    const own = new Set(this.#entry.tests);
    const ownAgain = { ...again, tests: again.tests.filter(({ file }) => own.has(file)) };
    const after = [...judgeGreen(this.#entry, ownAgain), ...difference(baseline.tests, ownAgain.tests)].map(
      (fault) => `after the restore: ${fault}`,
    );
    const changed = this.#state && this.#changed(this.#state, state);
    const reasons = [...(changed === undefined ? [] : [changed]), ...end.reasons, ...after];
    if (changed !== undefined) return { ...end, verdict: 'restore unproven', reasons };
    return { ...end, verdict: after.length === 0 ? end.verdict : 'refuted', reasons };
  }

  /** Why the target must not be touched. */
  #notClean(): string | undefined {
    const { root } = this.#tree;
    const { file } = this.#entry;
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    if (!found?.isFile() || realpathSync(this.#path) !== this.#path) return `${file} is not a file of this tree: correct the entry's file.`;
    const committed = headHash(root, file);
    if (committed === undefined) return `${file} is not in HEAD: commit it first.`;
    const status = git(root, ['status', '--porcelain', '--', file]).trim();
    if (status === '' && blobHash(root, file) === committed) {
      this.hashes.before = committed;
      return undefined;
    }
    return `${file} has uncommitted changes (${status || 'other content than HEAD'}): commit them first, a restore could lose them.`;
  }

  async #runMutated(source: Buffer, mutant: Buffer, state: TreeState): Promise<{ run: Run; unproven: string | undefined }> {
    const { journal } = this.#tree;
    journal.open(this.#entry.id, this.#path, source, mutant);
    const record = journal.pending()!;
    const disarm = restoreAtEnd(() => {
      journal.restore(record);
      journal.close();
    });
    let run: Run;
    let unproven: string | undefined;
    try {
      replaceBytes(this.#path, mutant);
      this.#proveMutated(mutant);
      run = await this.#vitest(this.#entry.tests, `mutated ${this.#entry.file}`);
    } finally {
      unproven = this.#restore(record, state);
      disarm();
    }
    return { run, unproven };
  }

  #proveMutated(mutant: Buffer): void {
    this.hashes.mutant = blobHash(this.#tree.root, this.#entry.file);
    if (this.hashes.mutant === this.hashes.before || !readFileSync(this.#path).equals(mutant)) {
      throw new Error(`${this.#entry.file} does not hold the mutant that was written to it.`);
    }
  }

  /** @returns why nobody can be sure that the tree is as it was. The journal stays if the file is not. */
  #restore(record: JournalRecord, state: TreeState): string | undefined {
    const { root, journal } = this.#tree;
    const { file } = this.#entry;
    try {
      journal.restore(record);
    } catch (error) {
      if (error instanceof RestoreUnproven) return error.message;
      throw error;
    }
    const after = blobHash(root, file);
    this.hashes.after = after;
    const diff = git(root, ['diff', 'HEAD', '--no-ext-diff', '--', file]);
    if (after !== this.hashes.before || diff !== '') {
      return `${file} has blob ${after}, before it was ${this.hashes.before}, and git diff HEAD says: ${diff || 'nothing'}. Its pre-image is ${journal.preImagePath}.`;
    }
    journal.close();
    return this.#changed(state, treeState(root));
  }

  #changed(state: TreeState, current: TreeState): string | undefined {
    if (sameState(state, current)) return undefined;
    return `The tree is not as it was before ablation ${this.#entry.id}: ${statusDifference(state, current)}. Bring it in order; tests must write outside of the tree.`;
  }

  #vitest(files: readonly string[], when: string): Promise<Run> {
    return runTests(this.#tree, files, `${this.#entry.id}: ${when}`);
  }
}

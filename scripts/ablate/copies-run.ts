// Runs entries on copies of the tree, one copy per worker, and never on the checkout. The copies are removed at the end, whatever happens.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Ablation } from './ablation.js';
import { Baselines } from './baselines.js';
import { type BegunEntry, beginEntry, type EntryResult, notRun, runAgain, seeGreen, type Tree, treeAt } from './entry-run.js';
import { EntryQueue } from './schedule.js';
import { passingFolder } from './state-folder.js';
import { checkInside, copyTree, packageStore } from './tree-copy.js';

export interface CopiesOptions {
  readonly root: string;
  /** Of the checkout, held by its lock: what a killed run left in it belongs to nobody. */
  readonly folder: string;
  readonly workers: number;
  log(line: string): void;
  /** Called for each entry once it has its verdict. */
  onResult(result: EntryResult): void;
}

/**
 * Every restore is proven by hash at once. That the tests are green again is shown by one run of all of a copy's test files when its entries
 * are through: the tree is the same one after each restore, and a run for each entry would be a third of the whole.
 *
 * @param entries the longest first.
 */
export async function runInCopies(entries: readonly Ablation[], options: CopiesOptions): Promise<void> {
  const { root, folder, log, onResult } = options;
  const workers = Math.min(options.workers, entries.length);
  const home = passingFolder(join(folder, 'copies'));
  try {
    const store = await packageStore(root);
    // All copies hold the same tree, so what was seen green in one is for all.
    const baselines = new Baselines();
    const trees = await allOf(
      Array.from({ length: workers }, async (_, index): Promise<Tree> => {
        const own = join(home, String(index + 1));
        mkdirSync(own, { mode: 0o700 });
        const copy = await copyTree(root, join(own, 'tree'), store);
        // Together the copies use the machine once.
        return treeAt(copy, own, { log, baselines, maxWorkers: Math.max(1, Math.floor(availableParallelism() / workers)) });
      }),
    );
    log(`${workers === 1 ? '1 copy' : `${workers} copies`} of HEAD in ${home}`);
    const shares = dealt([...new Set(entries.flatMap(({ tests }) => tests))], trees.length);
    await allOf(trees.map((tree, copy) => seeGreen(tree, shares[copy] ?? [])));
    const queue = new EntryQueue(entries);
    const work = async (tree: Tree, copy: number): Promise<void> => {
      const begun: BegunEntry[] = [];
      for (let entry = queue.next(copy); entry; entry = queue.next(copy)) {
        const path = join(tree.root, entry.file);
        if (existsSync(path)) checkInside(tree.root, path);
        const one = await beginEntry(entry, tree);
        if (one.restored) {
          begun.push(one);
          continue;
        }
        const result = one.finish(undefined);
        onResult(result);
        // What this copy holds is not known any more; the other copies go on.
        if (result.verdict === 'restore unproven') break;
      }
      const files = [...new Set(begun.flatMap(({ entry }) => entry.tests))];
      if (files.length === 0) return;
      const again = await runAgain(tree, files, `${begun.length} entries: after their restores`);
      for (const one of begun) onResult(one.finish(again));
    };
    await allOf(
      trees.map((tree, copy) =>
        work(tree, copy).catch((error: unknown) => {
          queue.giveUp();
          throw error;
        }),
      ),
    );
    for (const entry of queue.giveUp()) onResult(notRun(entry, 'Not run: every copy of the tree was given up.'));
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** In turn, so that each gets long ones and short ones. */
function dealt<T>(items: readonly T[], hands: number): T[][] {
  return Array.from({ length: hands }, (_, hand) => items.filter((_item, index) => index % hands === hand));
}

/** Waits for all, even when one fails: the copies are removed only when nothing runs in them. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

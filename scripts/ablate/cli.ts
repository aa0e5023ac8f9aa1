// `pnpm ablate`: runs what its arguments ask for, and answers by exit code: 0 proved, 1 refuted (or faults of the registry, or a self-test
// that failed), 2 usage or a dirty tree, 3 not measured, 4 restore unproven. Any other code is a fault of this command itself.

import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readDiff } from '../gates/framework/diff.js';
import { NotMeasuredError, UsageError } from '../gates/framework/refusals.js';
import { Repository } from '../gates/framework/repository.js';
import { changeBase, RECORD, recordAllProved } from './all-proved.js';
import { type Command, parseCommand, USAGE } from './command-line.js';
import { runInCopies } from './copies-run.js';
import { type EntryResult, notRun, restoreLeftover, runEntry, type Tree, treeAt } from './entry-run.js';
import { git, uncommitted } from './git.js';
import { cleanUpAtEnd } from './interruption.js';
import { RestoreUnproven } from './journal.js';
import { list } from './list.js';
import { lock } from './lock.js';
import { loadRegistry, type Registered, select, touchedBy } from './registry.js';
import { renderJson, renderRow, renderTotals } from './render.js';
import { longestFirst } from './schedule.js';
import { selfTest } from './self-test/self-test.js';
import { stateFolder } from './state-folder.js';
import { combinedExitCode } from './verdict.js';

const INTERNAL_ERROR = 70;

type Running = Extract<Command, { readonly json: boolean }>;

process.on('uncaughtException', (error) => process.exit(refusal(error)));
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const results: EntryResult[] = [];
  let command: Command | undefined;
  let code: number;
  try {
    command = parseCommand(args);
    if (command.mode === 'self-test') return await selfTest(print);
    code = await onCheckout(command, results);
  } catch (error) {
    code = refusal(error);
  }
  // The totals are the last line even of a run that was refused: a reader need not guess what a missing line means.
  if (command && 'json' in command) for (const line of renderTotals(results)) print(line);
  return code;
}

/** What needs a checkout to itself: none of it may see a mutant of another run, or of one that was killed. */
async function onCheckout(command: Exclude<Command, { mode: 'self-test' }>, results: EntryResult[]): Promise<number> {
  const root = checkout();
  const folder = stateFolder(root);
  const release = lockCheckout(folder);
  const released = cleanUpAtEnd(release);
  try {
    const tree = treeAt(root, folder, { log: tell });
    const leftover = restoreLeftover(tree);
    if (leftover !== undefined) tell(leftover);
    const registered = await loadRegistry(root);
    if (command.mode === 'list') return await list(root, registered, tree.scratch, print);
    const onResult = (result: EntryResult): void => {
      results.push(result);
      print(command.json ? renderJson(result) : renderRow(result));
    };
    await run(command, tree, registered, onResult);
    const exitCode = combinedExitCode(results.map(({ verdict }) => verdict));
    if (command.mode === 'all' && command.record && exitCode === 0) {
      recordAllProved(new Repository(root));
      tell(`${RECORD} says so: commit it.`);
    }
    return exitCode;
  } finally {
    release();
    released();
  }
}

async function run(
  command: Running,
  tree: Tree,
  registered: readonly Registered[],
  onResult: (result: EntryResult) => void,
): Promise<void> {
  const { root } = tree;
  if (command.mode === 'ids') {
    let known = true;
    for (const { entry } of select(registered, command.ids)) {
      // A tree in an unknown state proves nothing about the entries that follow.
      const result: EntryResult = known
        ? await runEntry(entry, tree)
        : notRun(entry, 'Not run: the tree is not in a known state any more.');
      known = result.verdict !== 'restore unproven' && known;
      onResult(result);
    }
    return;
  }
  const dirty = uncommitted(root);
  if (dirty.length > 0) {
    throw new UsageError(
      `The copies hold HEAD, which these are not in: commit them first, or name the ablations to run here.\n${dirty.join('\n')}`,
    );
  }
  const chosen = command.mode === 'all' ? registered : changed(registered, root, command.base);
  if (chosen.length === 0) return;
  const ordered = longestFirst(chosen, (file) => statSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0);
  const entries = ordered.map(({ entry }) => entry);
  await runInCopies(entries, { root, folder: stateFolder(root), workers: command.workers, log: tell, onResult });
}

function changed(registered: readonly Registered[], root: string, base: string | undefined): Registered[] {
  const repository = new Repository(root);
  const diff = readDiff(repository, { base: changeBase(repository, base), head: 'HEAD' });
  const paths = new Set(diff.changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])));
  const chosen = touchedBy(registered, paths);
  tell(`${chosen.length} of ${registered.length} ablations differ from ${diff.base.said} in their source, tests or registry file`);
  return chosen;
}

function checkout(): string {
  try {
    return realpathSync(git(process.cwd(), ['rev-parse', '--show-toplevel']).trim());
  } catch (error) {
    throw new UsageError(`${process.cwd()} is in no git checkout: ${error instanceof Error ? error.message : error}`);
  }
}

function lockCheckout(folder: string): () => void {
  try {
    return lock(folder);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function refusal(error: unknown): number {
  if (error instanceof UsageError) {
    tell(`${error.message}\n${USAGE}`);
    return 2;
  }
  if (error instanceof NotMeasuredError) {
    tell(error.message);
    return 3;
  }
  if (error instanceof RestoreUnproven) {
    tell(error.message);
    return 4;
  }
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return INTERNAL_ERROR;
}

function print(line: string): void {
  console.log(line);
}

/** What goes on, and what went wrong: apart from the results, which a program may read. */
function tell(line: string): void {
  console.error(line);
}

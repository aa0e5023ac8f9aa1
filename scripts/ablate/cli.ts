// `pnpm ablate`: reads the arguments, runs what they ask for, and answers by exit code: 0 proved, 1 refuted, 2 usage or a dirty tree,
// 3 not measured, 4 restore unproven. Anything else is a fault of this command itself.

import { realpathSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type EntryResult, restoreLeftover, runEntry, treeAt } from './entry-run.js';
import { git } from './git.js';
import { RestoreUnproven } from './journal.js';
import { lock } from './lock.js';
import { loadRegistry, select, Unusable } from './registry.js';
import { renderJson, renderRow, renderTotals } from './render.js';
import { stateFolder } from './state-folder.js';
import { combinedExitCode } from './verdict.js';

const USAGE = 'Usage: pnpm ablate <id>… [--json]';

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let root: string;
  let ids: string[];
  let json: boolean;
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean', default: false } } });
    [ids, json] = [positionals, values.json];
    if (ids.length === 0) throw new Error('Name at least one ablation.');
    root = realpathSync(git(process.cwd(), ['rev-parse', '--show-toplevel']).trim());
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 2;
  }
  try {
    const entries = select(await loadRegistry(root), ids).map(({ entry }) => entry);
    const folder = stateFolder(root);
    const release = lock(folder);
    try {
      const tree = treeAt(root, folder, { log: (line) => console.error(line) });
      const leftover = restoreLeftover(tree);
      if (leftover !== undefined) console.error(leftover);
      const results: EntryResult[] = [];
      for (const entry of entries) {
        const result = await runEntry(entry, tree);
        results.push(result);
        console.log(json ? renderJson(result) : renderRow(result));
        // A tree in an unknown state proves nothing about the entries that follow.
        if (result.verdict === 'restore unproven') break;
      }
      for (const line of renderTotals(results)) console.log(line);
      return combinedExitCode(results.map(({ verdict }) => verdict));
    } finally {
      release();
    }
  } catch (error) {
    if (error instanceof Unusable) {
      console.error(error.message);
      return 2;
    }
    if (error instanceof RestoreUnproven) {
      console.error(error.message);
      return 4;
    }
    throw error;
  }
}
